// Two vectors of half as many lanes: the even and the odd elements, or one half and the other.
// Even and odd elements of 16 bits are widened by a shift or a mask of 32 bits, without moving any.
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

/// A vector after the other, and the two of such a vector.
llvm::Value *concatenated(Emitter &e, std::array<llvm::Value *, 2> halves);
std::array<llvm::Value *, 2> halvesOf(Emitter &e, llvm::Value *both);

} // namespace mmk
