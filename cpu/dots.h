// Products of many rows with a few columns, bound by reading the rows: each is read once, in place,
// and every result is a dot product along k.
#pragma once

#include "cpu/product.h"

namespace mmk {

/// Sums in memory: rows at a stride of `row` bytes, dense along the columns.
struct SumsInMemory {
  llvm::Value *pointer = nullptr, *row = nullptr;
};

/// Whether a product can be computed in this way, and is faster by it: A dense along k, and no more
/// than a few columns. `isTransposed`: it is the transpose of another product, which had few rows
/// and B dense along k. The last two arguments are the elements of the scratch for B and for sums.
llvm::Value *useDotProducts(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                            llvm::Value *isTransposed, int64_t bElements, int64_t accElements);

/// Whether the last columns of a product, `count` after whole vectors, are computed apart from the
/// others, for a product that is not skinny itself, and so has more rows than a pass.
llvm::Value *useDotProductsForTail(Emitter &e, const ProductOperands &operands, llvm::Value *count,
                                   llvm::Type *element, int64_t bElements, int64_t accElements);

/// The product, up to the epilogue.
SumsInMemory emitDots(Emitter &e, const ProductOperands &operands, llvm::Type *element);

} // namespace mmk
