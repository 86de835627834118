// The tile that a schedule leaves to the shape on an AI core.
#pragma once

#include "backend/backend.h"

namespace mmk::aicore {

/// Rows and columns of the tile with the least time for all cores to read its operands.
std::pair<mlir::Value, mlir::Value> fitTile(mlir::OpBuilder &builder, mlir::Location loc,
                                            MachineAttr machine, FittedOutput output,
                                            const FittedTile &tile);

} // namespace mmk::aicore
