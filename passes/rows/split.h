// The parts of rows that are divided, and their combination: what the groups of reductions alone
// (rows/split.cpp) and those of two products (chains/split.cpp) have in common.
#pragma once

#include "ir/rows.h"
#include "passes/row_space.h"
#include "passes/rows/builder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <numeric>
#include <optional>

namespace mmk {

/// What a row group computes when its rows are divided: each part of them by itself, then all
/// parts together. The results of the parts are in memory, and are combined in the order of the
/// parts, so that the result does not depend on the cores.
class RowSplitter {
public:
  RowSplitter(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine,
              llvm::ArrayRef<int64_t> parts)
      : kernel(kernel), group(group), machine(machine), rows(rowsOf(group)), space(group),
        parts(parts), b(kernel.getContext()), loc(group.getLoc()),
        count(std::accumulate(parts.begin(), parts.end(), int64_t(1), std::multiplies<>())) {
    b.setInsertionPoint(group);
  }

  mlir::LogicalResult run();

protected:
  /// What a value takes off for the maximum that it waits for.
  struct Shift {
    mlir::Value maximum; ///< the result of its reduction
    mlir::Value value;   ///< g
  };

  /// What the parts compute of the weights of a product.
  struct PartWeights {
    mlir::Value rest; ///< in the program
    std::optional<Shift> shift;
    SpaceLoops dims;
  };
  /// Emits what a part has of each result, the product last, at its place in the space. `whole`:
  /// the program, on the whole rows; `map`: from what the group reads to what the parts read.
  using EmitPart =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(ir::RowsOp whole, mlir::IRMapping &map)>;

  mlir::Value index(int64_t value);
  mlir::ValueRange yielded() { return group.getBody().front().getTerminator()->getOperands(); }
  llvm::SmallVector<mlir::OpFoldResult> extentsOf(mlir::Value tensor);
  bool isKept(mlir::Value value);
  /// Whether a value is computed from reductions of the row.
  bool waits(mlir::Value value);
  /// Nothing for a value that waits for reductions in another way.
  std::optional<Shift> shiftOf(mlir::Value value);
  /// Finds the sums that wait for a maximum; false where a reduction waits in another way.
  bool findShifts();
  SpaceLoops kept() const;

  /// Makes the group `ofParts`, which has all reductions of the parts as results, and perhaps a
  /// product behind the rows.
  void emitParts(const PartWeights *weights, mlir::Value product, EmitPart emit);

  /// The dimensions of the combination: the parts, then those that are kept.
  SpaceLoops inCombination(llvm::ArrayRef<int64_t> dims) const;
  /// The results of a group over the parts, what rows keep, and `more`: those that `combine` gives.
  /// `map`: of what the group reads.
  using Combine = llvm::function_ref<void(RowsBuilder &combined, mlir::IRMapping &map)>;
  mlir::ValueRange combination(llvm::ArrayRef<llvm::StringRef> more, mlir::Attribute name,
                               Combine combine);
  /// Maps the elements that the program reads.
  void readInputs(RowsBuilder &combined, mlir::IRMapping &map);
  /// Maps all elements of the program, the reductions to those of all parts.
  void combineRows(RowsBuilder &combined, mlir::IRMapping &map);
  /// What the parts have of a result of a reduction.
  mlir::Value ofPart(RowsBuilder &combined, mlir::Value result);
  /// What the sum of a part, which has the maximum `ofPart`, adds to that with the maximum `ofAll`;
  /// g of the latter is `shift`.
  mlir::Value rescaled(RowsBuilder &combined, mlir::Value part, mlir::Value ofPart,
                       mlir::Value ofAll, mlir::Value shift);

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  aicore::MachineAttr machine;
  ir::RowsOp rows;
  const RowSpace space;
  llvm::ArrayRef<int64_t> parts;
  mlir::IRRewriter b;
  mlir::Location loc;
  const int64_t count;                             ///< of parts
  llvm::DenseMap<mlir::Operation *, Shift> shifts; ///< of the sums that wait for a maximum
  ir::FusionGroupOp ofParts;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes; ///< of the current part, in the space

private:
  void cloneOperands(mlir::IRMapping &map);
  ir::RowsOp createParts(const PartWeights *weights, mlir::IRMapping &map);
  mlir::Value lengthOf(int64_t dim, mlir::Value extent);
  void placePart(mlir::Value part, llvm::ArrayRef<mlir::Value> extents);
  mlir::Value findPosition(RowsBuilder &combined, mlir::Value at, mlir::Value which);
  void combine(RowsBuilder &combined, ir::RowReduceOp op, mlir::IRMapping &map);
};

/// Divides the columns of the first of two products that are computed together, where `grid` does.
mlir::LogicalResult splitChain(ir::KernelOp kernel, ir::FusionGroupOp group);

} // namespace mmk
