// The iterations that the operations of a row group share. A row group computes reductions over the
// same dimensions, with the elementwise work between and behind them, in one pass over its tiles.
#pragma once

#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mmk {

/// Of each loop of an operation, the dimension of the space that it runs along; -1: a loop of
/// extent 1 that the space has not.
using SpaceLoops = llvm::SmallVector<int64_t>;

struct RowSpace {
  llvm::SmallVector<llvm::StringRef> names; ///< of its dimensions, the contiguous one last
  llvm::SmallVector<bool> isReduced;
  /// Of a group that reduces parts of its rows: into how many each dimension is divided. Else
  /// empty.
  llvm::SmallVector<int64_t> parts;
  bool combines = false; ///< of a group that combines such parts

  /// The space of a reduction: its loops.
  explicit RowSpace(mlir::linalg::LinalgOp reduction);
  /// That of a product: the dimensions of its result, of which the columns are reduced.
  explicit RowSpace(mlir::linalg::ContractOp product);
  /// That of a cumulative sum: the dimensions of its result, of which it goes along one.
  explicit RowSpace(ir::CumulateOp cumulation);
  /// That of a group in mmk IR.
  explicit RowSpace(ir::FusionGroupOp group);

  llvm::SmallVector<int64_t> reduced() const;
  bool isDivided(int64_t dim) const { return !parts.empty() && parts[dim] > 1; }
};

/// Into how many parts `grid` divides each dimension of a space, 1 for one that is kept: those that
/// are reduced, where no product has the dimension. Empty where it divides none, and on a machine
/// that divides long rows by itself.
llvm::SmallVector<int64_t> partsOf(ir::KernelOp kernel, const RowSpace &space);

/// The dimensions of a kernel that rows are reduced over and no product has, and those between two
/// products that one loop computes: those of which `grid` is a number of parts.
llvm::SmallVector<llvm::StringRef> dividedDims(ir::KernelOp kernel);

/// A reduction of the group as an operation reads it.
struct RowUse {
  SpaceLoops dims;     ///< the dimensions of the space that its result has
  mlir::AffineMap map; ///< from the operation's loops to them
};

/// The loops of an operation in the space, when it can be computed tile by tile there: in the order
/// of the space, with each dimension that is kept, and with all or none of those that are reduced.
/// A reduction has to reduce just those.
std::optional<SpaceLoops> loopsIn(const RowSpace &space, mlir::linalg::LinalgOp op,
                                  llvm::ArrayRef<RowUse> uses);

/// Whether an operation reduces some of its loops; products and sums of splits aside.
bool isRowReduction(mlir::Operation *op);

/// The spaces of the reductions of a kernel, before and after they are in row groups.
llvm::SmallVector<RowSpace> reducedSpaces(ir::KernelOp kernel);

/// Of a result of an operation with these loops, the dimensions of the space that it has; of a
/// product the loops of its result.
SpaceLoops dimsOfResult(mlir::Operation *op, llvm::ArrayRef<int64_t> loops);

/// The two dimensions of a space that tiles extend along. Rows run along the last kept dimension
/// where the last one is reduced, else along the last reduced one; -1 where there is none.
struct TilePlane {
  int64_t rows = -1, columns = -1;
  bool reducesColumns = false; ///< else rows
};
TilePlane planeOf(const RowSpace &space);

/// How rows are reduced, `reduce`: in parts with a pass for each reduction that waits for another;
/// in parts, with sums that are rescaled while their maximum grows; or whole on the chip.
enum class RowForm { passes, online, whole };

/// The choice that has the form of a space: "reduce.N" for a dimension that it reduces, else
/// "reduce".
std::string rowChoiceOf(ir::KernelOp kernel, const RowSpace &space);
/// The error of a group whose reductions cannot be rescaled while a maximum grows.
mlir::LogicalResult refuseOnline(ir::KernelOp kernel, ir::FusionGroupOp group,
                                 const RowSpace &space);

/// The form that the variant has for a space: that of a dimension which it reduces, else of all.
/// One that is reduced outside of the plane, too, is not whole.
RowForm rowFormOf(ir::KernelOp kernel, const RowSpace &space);

} // namespace mmk
