// Products of many rows with a few columns, which are bound by reading the rows: each is read once,
// in place, and every sum is a dot product along k.
#pragma once

#include "cpu/product.h"

namespace mmk {

/// Sums in memory: of each row `row` bytes further on, and dense along the columns.
struct SumsInMemory {
  llvm::Value *pointer = nullptr, *row = nullptr;
};

/// Whether a product can be computed so, and is of a shape that gains by it: A dense along k, and
/// no more than a few columns. `isTransposed`: it is the transpose of another product, which had
/// few rows and B dense along k. And the elements of the scratch for B and for sums.
llvm::Value *useDotProducts(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                            llvm::Value *isTransposed, int64_t bElements, int64_t accElements);

/// Whether the last columns of a product, `count` beside whole vectors of them, are to be taken
/// apart from the others: of a product that is not skinny itself, and so has more rows than a pass.
llvm::Value *useDotProductsForTail(Emitter &e, const ProductOperands &operands, llvm::Value *count,
                                   llvm::Type *element, int64_t bElements, int64_t accElements);

/// The product, up to the epilogue.
SumsInMemory emitDots(Emitter &e, const ProductOperands &operands, llvm::Type *element);

} // namespace mmk
