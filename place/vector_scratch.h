// The scratch of vector work: what its instructions need in UB besides operands and results.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// Tiles of f32 to keep free for aicore-select-vector. It may need fewer, where one instruction
/// covers several operations. Zero without an operation.
int64_t scratchTiles(mlir::linalg::GenericOp generic);
/// The same for masks, of one bit for each element.
int64_t maskTiles(mlir::linalg::GenericOp generic);

} // namespace mmk
