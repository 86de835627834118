// Vectors of twice as many lanes as their even and their odd elements. Elements of 16 bits are then
// widened by a shift or a mask of 32 bits, without moving any.
#pragma once

#include "codegen/emitter.h"

#include <array>

namespace mmk {

/// Those of a vector.
std::array<llvm::Value *, 2> evenAndOdd(Emitter &e, llvm::Value *both);
/// The vector of these.
llvm::Value *interleaved(Emitter &e, std::array<llvm::Value *, 2> evenAndOdd);
/// The same, converted.
llvm::Value *interleaved(Emitter &e, std::array<llvm::Value *, 2> evenAndOdd, llvm::Type *element);

} // namespace mmk
