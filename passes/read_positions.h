// Positions in elementwise operations as operands.
#pragma once

#include "ir/mmk.h"

namespace mmk {

/// Replaces each linalg.index of an elementwise operation by an element of a mmk.positions, so that
/// all that is true of an operand that repeats along rows or columns is true of a position.
void readPositions(ir::KernelOp kernel);

} // namespace mmk
