// 64-bit integers of elementwise operations in 32 bits, for vector cores that have no wider ones.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// Rewrites the index and i64 arithmetic of a body to i32. Positions and extents are below 2^31; a
/// call checks that what is computed from them is, too. Quotients become products with corrections.
void narrowIntegers(mlir::linalg::GenericOp op);

} // namespace mmk
