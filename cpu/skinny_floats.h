// Skinny GEMM of floats: few rows, bound by reading B, which is read once, in place, while the sums
// stay in L2.
#pragma once

#include "cpu/dots.h"

namespace mmk {

/// Whether these extents can be computed in this way: B is dense along its rows, and the sums fit
/// the scratch twice.
llvm::Value *isSkinnyFloats(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                            int64_t accElements);

/// The product in passes of `step` along k, up to the epilogue.
SumsInMemory emitSkinnyFloats(Emitter &e, const ProductOperands &operands, llvm::Type *element,
                              int64_t step);

} // namespace mmk
