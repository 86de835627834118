// log1p and expm1 in functions that vector cores have.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// Rewrites math.log1p and math.expm1 of a body in exp, log and quotients, as exact near 0 as
/// elsewhere: within 6 units in the last place where exp and log are within 2.
void expandFunctions(mlir::linalg::GenericOp op);

} // namespace mmk
