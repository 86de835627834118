// The mapping of tiles to cores, and their order, as integer arithmetic.
#pragma once

#include "ir/mmk.h"

#include <array>

namespace mmk {

/// Number of tiles of a core.
mlir::Value expandTileCount(mlir::OpBuilder &builder, ir::TileCountOp count);

/// Batch, row and column of the i-th tile of a core.
std::array<mlir::Value, 3> expandTileCoords(mlir::OpBuilder &builder, ir::TileCoordsOp coords);

} // namespace mmk
