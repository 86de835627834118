// Skinny GEMM of int8: few rows, bound by reading B, which is read once, in place, and interleaved
// to groups of four along k in registers.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// Two conditions: whether a product in passes of `step` along k can be computed in this way, as
/// the target has dot products of bytes and masks, and the sums fit the scratch twice; and whether
/// one of these extents is.
llvm::Value *isSkinnyInt8(Emitter &e, const ProductOperands &operands, int64_t step,
                          int64_t accElements);

/// The product, up to the epilogue.
SumsInMemory emitSkinnyInt8(Emitter &e, const ProductOperands &operands, int64_t step);

} // namespace mmk
