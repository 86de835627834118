// Products of floats with few rows, which are bound by reading B: it is read once, where it lies,
// and sums stay near.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// Rows up to which a product is bound by reading B, so that packing it would cost more than it
/// brings.
constexpr int64_t mostThinRows = 16;

/// Whether these extents go this way: B is dense along its rows, and there is room for the sums,
/// twice.
llvm::Value *isThinFloats(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                          int64_t accElements);

/// The product in passes of `step` along k, up to the epilogue.
SumsInMemory emitThinFloats(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                            int64_t step);

} // namespace mmk
