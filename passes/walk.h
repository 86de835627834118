// How tiles are dealt and walked, as integer arithmetic.
#pragma once

#include "ir/mmk.h"

#include <array>

namespace mmk {

/// Number of tiles of a core's share.
mlir::Value expandShare(mlir::OpBuilder &builder, ir::ShareOp share);

/// Batch, row and column of the i-th tile of a core's share.
std::array<mlir::Value, 3> expandWalk(mlir::OpBuilder &builder, ir::WalkOp walk);

} // namespace mmk
