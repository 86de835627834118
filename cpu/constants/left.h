// A product whose left operand is a constant in panels: the weights of a convolution with channels
// first. Both operands are panels, so that either can be the one of vectors, whichever fills them
// better.
#pragma once

#include "cpu/constants/operand.h"

namespace mmk {

/// i1: whether the vectors of m x n sums over `steps` steps along k are along m, so that they are
/// transposed when they are stored. `height`: rows of a register tile.
llvm::Value *areTransposed(Emitter &e, llvm::Value *m, llvm::Value *n, llvm::Value *steps,
                           int64_t height);

/// Emits the tile. False when an operation of the region has no code.
bool emitConstantLeft(Emitter &e, cpu::ProductOp op, const ProductOperands &operands);

} // namespace mmk
