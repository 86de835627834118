// Recognises log(1 + exp(-|x|)), the difference of softplus and max(x, 0), in a kernel: the
// logarithm of numbers from 1 to 2 alone takes half of the instructions.
#pragma once

#include "mlir/IR/Operation.h"

namespace mmk {

/// The x of an operation on f32 that ends log1p(exp(-|x|)), or log(1 + exp(-|x|)) with its terms in
/// any order; else null.
mlir::Value softplusTailOf(mlir::Operation *op);

} // namespace mmk
