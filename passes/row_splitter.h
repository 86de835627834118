// The parts of rows that are divided, and their combination: what the groups of reductions alone
// (split_rows.cpp) and those of two products (chains/split.cpp) have in common.
#pragma once

#include "ir/aicore.h"
#include "passes/split_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

#include <numeric>

namespace mmk {

/// What a row group computes when its rows are divided: each part of them by itself, then all
/// parts together. The results of the parts are in memory, and are combined in the order of the
/// parts, so that the result does not depend on the cores.
class RowSplitter {
public:
  RowSplitter(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine,
              llvm::ArrayRef<int64_t> parts)
      : kernel(kernel), group(group), machine(machine), space(group), parts(parts),
        b(kernel.getContext()), loc(group.getLoc()),
        count(std::accumulate(parts.begin(), parts.end(), int64_t(1), std::multiplies<>())) {
    b.setInsertionPoint(group);
  }

  mlir::LogicalResult run();

protected:
  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  mlir::Value number();
  /// Sorts the operations that have one element for each row.
  void findOps();
  mlir::LogicalResult checkOnline();
  mlir::RankedTensorType ofAllParts(mlir::Type type);
  mlir::LogicalResult emitParts();
  mlir::Value lengthOf(int64_t dim, mlir::Value extent);
  void placePart(mlir::Value part, llvm::ArrayRef<mlir::Value> extents);
  void emitCombination();
  mlir::Block *createCombination(mlir::TypeRange types, llvm::ArrayRef<llvm::StringRef> more);
  void combineRows();
  static void eraseUnused(mlir::Block &block);
  void combine(mlir::linalg::GenericOp op, mlir::ValueRange ofParts);
  void findPosition(mlir::linalg::GenericOp op, mlir::Value at, mlir::Value which);
  void rescale(mlir::linalg::GenericOp op, const OnlineSum &sum, mlir::Value ofParts);
  mlir::linalg::GenericOp
  reduceParts(mlir::linalg::GenericOp op, llvm::ArrayRef<unsigned> results, mlir::ValueRange alike,
              mlir::ValueRange kept,
              llvm::function_ref<void(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body);
  SpaceLoops inCombination(llvm::ArrayRef<int64_t> dims);

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  aicore::MachineAttr machine;
  const RowSpace space;
  llvm::ArrayRef<int64_t> parts;
  mlir::IRRewriter b;
  mlir::Location loc;
  const int64_t count; ///< of parts
  llvm::SmallVector<mlir::linalg::GenericOp> reductions, others;
  llvm::DenseMap<mlir::Operation *, OnlineSum> online;
  ir::FusionGroupOp ofParts, combination;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes; ///< of the current part, in the space
  mlir::IRMapping map;                                  ///< group -> combination
  llvm::DenseMap<mlir::Value, mlir::Value> partsOfResult;

private:
  llvm::SmallVector<mlir::linalg::GenericOp> cloneIntoParts();
};

/// Divides the columns of the first of two products that are computed together, where `grid` does.
mlir::LogicalResult splitChain(ir::KernelOp kernel, ir::FusionGroupOp group);

} // namespace mmk
