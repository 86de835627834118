// Inputs of a tile that are in no memory: positions, random numbers and windows, whose elements the
// region computes from its own position.
#pragma once

#include "ir/mmk.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace mmk {

/// A part of a generated tensor, as a tile reads it.
struct GeneratedInput {
  mlir::Operation *op = nullptr; ///< that gives the tensor, in mmk IR
  /// For each dimension of the tensor: where the part begins, and the size of the tile that runs
  /// along it; -1: none.
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<int64_t> sizes;
  bool isContiguous = false; ///< along the columns, the last size of the tile
  /// The seed, or the padding (null: none), as scalars of the program.
  mlir::Value scalar;
  /// Of random numbers, the extents of the tensor. Of a window, those of its source.
  llvm::SmallVector<mlir::Value> extents;
  /// Of a window: the symbols of its map, the strides of its source in elements, and the input that
  /// has the source's address.
  llvm::SmallVector<mlir::Value> symbols, strides;
  unsigned source = 0;
};

/// The element, computed in the region of which `body` is the block; its argument `firstArgument`
/// is that of the first input.
mlir::Value emitGenerated(mlir::OpBuilder &b, mlir::Location loc, const GeneratedInput &input,
                          mlir::Block &body, unsigned firstArgument);

} // namespace mmk
