// log(1 + exp(-|x|)), which softplus has more than max(x, 0), as a kernel writes it: as one
// function it is a third of the instructions, and does not round 1 + exp(-|x|), of which little is
// left.
#pragma once

#include "mlir/IR/Operation.h"

namespace mmk {

/// The x of an operation on f32 that ends log(1 + exp(-|x|)), its terms in any order; else null.
mlir::Value softplusTailOf(mlir::Operation *op);

} // namespace mmk
