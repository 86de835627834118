// The operations of a row group on one tile, for the passes that tile it: by itself, or behind the
// product that it reads.
#pragma once

#include "passes/row_space.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mmk {

class RowMembers {
public:
  RowMembers(ir::FusionGroupOp group, mlir::IRRewriter &b) : group(group), b(b) {}

  /// Finds the operations of the group; an error where one does not say the dimensions of its
  /// loops.
  mlir::LogicalResult find();
  /// The same of a group that computes a part of its rows, in the block of a loop over parts.
  /// `results`: what the block gives for each result of the group.
  mlir::LogicalResult find(mlir::Block &inside, mlir::ValueRange results);
  /// An empty tensor for each result. `extents`: of the dimensions of the space.
  llvm::SmallVector<mlir::Value> emptyOutputs(llvm::ArrayRef<mlir::Value> extents);
  /// The extent of a dimension of the space in the slices that operations read; null where none
  /// does.
  mlir::OpFoldResult extentInSlices(int64_t dim);
  /// `tile` is what a tile has of the tensor `whole`.
  void setTile(mlir::Value whole, mlir::Value tile) { tiled[whole] = tile; }
  mlir::Value tileOf(mlir::Value whole) const { return tiled.lookup(whole); }
  /// Emits all operations on the tile at these offsets, of these sizes, in the space.
  mlir::LogicalResult tile(llvm::ArrayRef<mlir::OpFoldResult> offsets,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// Ends a loop over tiles: inserts the tile of each result into what the loop carries. `part`:
  /// the number of the part that the tile is of; null where rows are whole.
  void yieldTiles(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                  llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value part = {});
  /// Erases the operations on whole tensors.
  void eraseWhole();
  /// Makes one of equal slices, which is then loaded once.
  void mergeSlices();

private:
  mlir::LogicalResult tileOp(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes);

  ir::FusionGroupOp group;
  mlir::IRRewriter &b;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> results;         ///< of these
  llvm::DenseMap<mlir::Value, mlir::Value> tiled; ///< whole tensors -> their tiles
};

} // namespace mmk
