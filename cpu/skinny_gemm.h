// Skinny GEMM: few rows or few columns, bound by reading the longer operand: by dot products if it
// is dense along k, else by accumulating its rows.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// The largest depth of a pass along k, and the elements of the scratch for B and for sums.
struct SkinnyRoom {
  int64_t step, bElements, accElements;
};

/// i1: whether one of the two computes this product; always true for a product's last columns
/// (useDotProductsForTail). Then the product is complete, after `finish` has applied the epilogue
/// to its sums.
llvm::Value *emitSkinnyGemm(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                            const SkinnyRoom &room, llvm::Value *areTail,
                            llvm::function_ref<void(const SumsInMemory &)> finish);

} // namespace mmk
