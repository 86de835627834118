// Skinny GEMM of int8: few rows, bound by reading B, which is read once, in place, and brought into
// groups of four along k in registers.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// Whether a product in passes of `step` along k can be computed so here, and one of these extents
/// is: the target has dot products of bytes and masks, and there is room for its sums, twice.
llvm::Value *isSkinnyInt8(Emitter &e, const ProductOperands &operands, int64_t step,
                          int64_t accElements);

/// The product, up to the epilogue.
SumsInMemory emitSkinnyInt8(Emitter &e, const ProductOperands &operands, int64_t step);

} // namespace mmk
