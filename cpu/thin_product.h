// Products with few rows or few columns, which are bound by reading the longer operand, whichever
// it is: by dot products where that is dense along k, else by adding up its rows.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// How deep a pass along k is at most, and the elements of the scratch for B and for sums.
struct ThinRoom {
  int64_t step, bElements, accElements;
};

/// i1: whether one of the two was a way for this product, which it always is for a product's last
/// columns (areLastDots). Then it is done, when `finish` has done what there is to do with its
/// sums.
llvm::Value *emitThinProduct(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                             const ThinRoom &room, llvm::Value *areLast,
                             llvm::function_ref<void(const SumsInMemory &)> finish);

} // namespace mmk
