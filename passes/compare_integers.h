// Comparisons of integers that were converted to f32, as comparisons of the integers.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// f32 holds integers up to 2^24; positions and lengths are compared exactly, also with a constant
/// added to one.
void compareIntegers(mlir::linalg::GenericOp op);

} // namespace mmk
