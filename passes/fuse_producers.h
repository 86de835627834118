// After the last op of a fusion group has been tiled: what computes its operands, on the same tile.
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mmk {

/// Walks the producers of a tiled op's operands: each slice of a product or of its zero becomes
/// that op on the tile alone. `tiledProducts` maps each product, or the sum of its parts, to what
/// it is on the tile.
mlir::LogicalResult fuseProducers(mlir::RewriterBase &b,
                                  llvm::SmallVector<mlir::Operation *> slices,
                                  llvm::DenseMap<mlir::Value, mlir::Value> &tiledProducts);

} // namespace mmk
