// Random numbers as integer operations: Philox4x32-10, as reference/random.h has it.
#pragma once

#include "mlir/IR/Builders.h"

namespace mmk {

/// The f32 in [0, 1) of a seed, an i32, and of a row-major position, an index.
mlir::Value emitRandom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value seed,
                       mlir::Value position);

} // namespace mmk
