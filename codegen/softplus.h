// Recognises log(1 + exp(-|x|)), the difference of softplus and max(x, 0), in a kernel: as one
// function it takes a third of the instructions, and does not round 1 + exp(-|x|), which loses
// precision.
#pragma once

#include "mlir/IR/Operation.h"

namespace mmk {

/// The x of an operation on f32 that ends log(1 + exp(-|x|)), its terms in any order; else null.
mlir::Value softplusTailOf(mlir::Operation *op);

} // namespace mmk
