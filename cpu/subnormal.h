// Whether a product can be left to instructions that take and give subnormal numbers as zero: one
// of them times a number large enough would be missed, or make NaN of an infinity.
#pragma once

#include "cpu/product.h"

namespace mmk {

/// i1: none of the elements is subnormal, which are bf16, nor can any sum of their products be: all
/// are multiples of the smallest normal f32. Both operands are read once, which takes 2 % of the
/// time of 2048 x 2048 x 2048; one that is dense neither along its rows nor along its columns is
/// not read, and the answer no.
llvm::Value *isNeverSubnormal(Emitter &e, const ProductOperands &operands);

} // namespace mmk
