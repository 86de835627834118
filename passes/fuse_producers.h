// Fuses the producers of a fusion group's tiled last op into the loop of its tiles.
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mmk {

/// Visits the producers of a tiled op's operands: each slice of a product or of its zero becomes
/// that op on the tile only. `tiledProducts` maps each product, or the sum of its splits, to its
/// value on the tile.
mlir::LogicalResult fuseProducers(mlir::RewriterBase &b,
                                  llvm::SmallVector<mlir::Operation *> slices,
                                  llvm::DenseMap<mlir::Value, mlir::Value> &tiledProducts);

} // namespace mmk
