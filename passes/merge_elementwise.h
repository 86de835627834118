#pragma once

#include "ir/mmk.h"

namespace mmk {

/// Elementwise work on a product whose dimensions were split, in the dimensions that it had before;
/// as it is where an operand has them apart.
void mergeElementwise(ir::KernelOp kernel);

} // namespace mmk
