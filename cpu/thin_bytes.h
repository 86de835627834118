// Products of bytes with few rows, which are bound by reading B: it is read once, where it lies,
// and brought into groups of four along k in registers.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// Whether a product in passes of `step` along k can go this way here, and one of these extents
/// does: the target has dot products of bytes and masks, and there is room for its sums, twice.
llvm::Value *isThinBytes(Emitter &e, const ProductOperands &operands, int64_t step,
                         int64_t accElements);

/// The product, up to the epilogue.
SumsInMemory emitThinBytes(Emitter &e, const ProductOperands &operands, int64_t step);

} // namespace mmk
