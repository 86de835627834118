// Whether a product can be computed by instructions that read and write denormals as zero: a
// denormal times a large enough number would be lost, or make NaN of an infinity.
#pragma once

#include "cpu/product.h"

namespace mmk {

/// i1: no element, which are bf16, is denormal, nor can any sum of their products be: all are
/// multiples of the smallest normal f32. Both operands are read once, which takes 2 % of the time
/// of 2048 x 2048 x 2048. False for an operand that is dense neither along its rows nor along its
/// columns, which is not read.
llvm::Value *isDenormalFree(Emitter &e, const ProductOperands &operands);

/// The exponent of the smallest number of bf16 except zero, or 0 where that is denormal or unknown:
/// of a plane; of a part of a tensor, strides in elements.
llvm::Value *leastExponent(Emitter &e, const Plane &plane, llvm::Value *rows, llvm::Value *columns);
llvm::Value *leastExponentOf(Emitter &e, llvm::Value *start, llvm::ArrayRef<llvm::Value *> counts,
                             llvm::ArrayRef<llvm::Value *> strides);

/// That of B.
llvm::Value *leastExponentOfB(Emitter &e, const ProductOperands &operands);

/// isDenormalFree of operands with these least exponents.
llvm::Value *areDenormalFree(Emitter &e, llvm::Value *ofA, llvm::Value *ofB);

/// i1: no element of the plane, of bf16, is so small that its product with a weight could be
/// denormal and yet matter beside that with the weight 1: each is 0, or at least 2^-56.
llvm::Value *isFarFromDenormal(Emitter &e, const Plane &plane, llvm::Value *rows,
                               llvm::Value *columns);

} // namespace mmk
