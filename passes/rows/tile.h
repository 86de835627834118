// A mmk.rows on one tile of its space, for the passes that tile its group: by itself, or with the
// products that it reads.
#pragma once

#include "ir/rows.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mmk {

/// The program of a group that is to be tiled; an error, and null, where the group has none or
/// yields something else. `isElse`: what it may yield besides.
ir::RowsOp rowsToTile(
    ir::FusionGroupOp group,
    llvm::function_ref<bool(mlir::Value)> isElse = [](mlir::Value) { return false; });

/// Of a tensor with these dimensions, what the space has of each; `otherwise` of one that the space
/// has not.
llvm::SmallVector<mlir::OpFoldResult> along(mlir::OpBuilder &b, llvm::ArrayRef<int64_t> dims,
                                            llvm::ArrayRef<mlir::OpFoldResult> ofSpace,
                                            int64_t otherwise);

/// The operation on the tile at these offsets, of these sizes. `tiles`: what the tile has of
/// tensors that are not in memory.
ir::RowsOp tileOfRows(mlir::OpBuilder &b, ir::RowsOp rows,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      const llvm::DenseMap<mlir::Value, mlir::Value> &tiles =
                          llvm::DenseMap<mlir::Value, mlir::Value>());

/// An empty tensor for one of its results. `extents`: of the space.
mlir::Value emptyResult(mlir::OpBuilder &b, mlir::OpResult result,
                        llvm::ArrayRef<mlir::Value> extents);

/// `into` with the tile of a result. `part`: the number of the part that the tile is of; null where
/// rows are whole.
mlir::Value insertTile(mlir::OpBuilder &b, mlir::OpResult tile, mlir::Value into,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value part = {});

/// Makes one of equal slices in a group, which is then loaded once.
void mergeSlices(mlir::RewriterBase &b, ir::FusionGroupOp group);

} // namespace mmk
