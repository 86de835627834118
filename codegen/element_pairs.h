// Two vectors of half as many lanes: the even and the odd elements, or one half and the other.
// Even and odd elements of 16 bits are widened by a shift or a mask of 32 bits, without moving any.
#pragma once

#include "codegen/emitter.h"

#include <array>
#include <utility>

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

/// Two vectors whose lanes are exchanged: those of x that have a bit in their number, and those of
/// y that are as far from having it.
std::pair<llvm::Value *, llvm::Value *> exchanged(Emitter &e, llvm::Value *x, llvm::Value *y,
                                                  int64_t bit);
/// Numbers of lanes, times `step`, from `first` on.
llvm::Constant *laneNumbers(Emitter &e, llvm::Type *integer, int64_t first = 0, int64_t step = 1);

} // namespace mmk
