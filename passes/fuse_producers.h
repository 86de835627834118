// After the last op of a fusion group has been tiled: what computes its operands, on the same tile.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace mmk {

/// Walks the producers of a tiled op's operands: each slice of a product or of its zero becomes
/// that op on the tile alone. `tiledProduct` becomes what is left of a product, or of the sum of
/// its parts, when there is one.
mlir::LogicalResult fuseProducers(mlir::RewriterBase &b,
                                  llvm::SmallVector<mlir::Operation *> slices,
                                  mlir::Value &tiledProduct);

} // namespace mmk
