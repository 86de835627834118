// The tile that a schedule leaves to the shape on an AI core.
#pragma once

#include "backend/backend.h"

namespace mmk::aicore {

/// Rows and columns of the tile with the least time for all cores to read its operands.
std::pair<mlir::Value, mlir::Value> fitTile(mlir::OpBuilder &builder, mlir::Location loc,
                                            MachineAttr machine, FittedOutput output,
                                            const FittedTile &tile);

/// The rows or columns of a tile of a row group: `largest`, or beside a product, whose tiles are
/// its own, what gives each core some.
mlir::Value fitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                         const FittedReduction &reduction, int64_t largest);

} // namespace mmk::aicore
