// The tile that a schedule leaves to the shape (`tile M = auto`), as integer arithmetic: a kernel
// is compiled once, and finds it out when it runs.
#pragma once

#include "ir/aicore.h"

#include "mlir/IR/Builders.h"

namespace mmk {

/// The output of a nest: `batches` times rows x columns elements, dealt to `cores`.
struct FittedOutput {
  mlir::Value batches, rows, columns;
  int64_t cores = 1;
};

/// Rows and columns of a tile, each at most what `largest` says. Those that are not to be fitted
/// stay as they are.
struct FittedTile {
  int64_t largestRows = 1, largestColumns = 1;
  bool fitsRows = false, fitsColumns = false;
  bool isProduct = false; ///< or elementwise work
};
std::pair<mlir::Value, mlir::Value> fitTile(mlir::OpBuilder &builder, mlir::Location loc,
                                            aicore::MachineAttr machine, FittedOutput output,
                                            FittedTile tile);

/// The same for the host, where a tile is the share of a thread, of those that a call has
/// (aicore.threads): of a product of that depth, whose operands have elements of so many bytes, or
/// elementwise work of depth 1. What is too small to be shared is one tile.
std::pair<mlir::Value, mlir::Value> balanceTile(mlir::OpBuilder &builder, mlir::Location loc,
                                                FittedOutput output, mlir::Value depth,
                                                int64_t bytes, FittedTile tile);

/// Rows and columns of a tile of elementwise work on the host, at most those of `largest`: as many
/// for each thread as for the others, but that what is too small to be shared is one tile.
std::pair<mlir::Value, mlir::Value> shareTile(mlir::OpBuilder &builder, mlir::Location loc,
                                              FittedOutput output,
                                              std::pair<mlir::Value, mlir::Value> largest);

/// Rows and columns of the largest tile on the host, and the depth of what is packed at a time at
/// most: the code of a product cuts it into blocks for the caches by itself.
constexpr int64_t hostTile = 2048, hostDepth = 4096;
/// Both of the largest tile of elementwise work there.
constexpr int64_t hostElementwiseTile = 65536;
/// Columns of the largest tile of a product of so few rows that reading its operand is all there is
/// to do: memory is read fastest in long pieces of rows.
constexpr int64_t hostFewRows = 16, hostTileOfFewRows = 3 * hostTile;

} // namespace mmk
