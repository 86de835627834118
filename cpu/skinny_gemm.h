// Skinny GEMM: few rows or few columns, bound by reading the longer operand: by dot products where
// that is dense along k, else by adding up its rows.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// How deep a pass along k is at most, and the elements of the scratch for B and for sums.
struct SkinnyRoom {
  int64_t step, bElements, accElements;
};

/// i1: whether one of the two computes this product, which one always does for a product's last
/// columns (useDotProductsForTail). Then it is done, when `finish` has done what there is to do
/// with its sums.
llvm::Value *emitSkinnyGemm(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                            const SkinnyRoom &room, llvm::Value *areTail,
                            llvm::function_ref<void(const SumsInMemory &)> finish);

} // namespace mmk
