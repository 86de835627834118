// A mmk.rows that is being built: its region, and the tensors that this reads.
#pragma once

#include "ir/rows.h"
#include "passes/row_space.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace mmk {

class RowsBuilder {
public:
  explicit RowsBuilder(mlir::MLIRContext *context);
  /// The program of an operation. `map`: from the tensors that it reads; and to the builder's
  /// values from those of its region.
  RowsBuilder(ir::RowsOp rows, mlir::IRMapping &map);

  /// The element of a tensor with these dimensions of the space.
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<int64_t> dims, mlir::Location where);
  /// The element of a tensor is this one.
  void know(mlir::Value tensor, mlir::Value element) { known[tensor] = element; }
  /// The elements that an operation on tensors computes, whose loops are these of the space. An
  /// error where it combines elements in a way that no machine has.
  mlir::LogicalResult add(mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> loops);
  void add(ir::CumulateOp op);
  ir::RowReduceOp reduce(aicore::ReduceKind kind, mlir::Value element, mlir::TypedAttr identity,
                         mlir::Location where);
  /// A value of the region of another operation, some of whose values are mapped.
  mlir::Value copy(mlir::Value value, mlir::IRMapping &map);
  /// The next result, and its dimensions.
  void give(mlir::Value element, llvm::ArrayRef<int64_t> dims);
  void giveKnown(mlir::Value tensor, llvm::ArrayRef<int64_t> dims) { give(known[tensor], dims); }
  /// The operation, with what its results need alone. The builder is empty then.
  ir::RowsOp create(mlir::OpBuilder &at, mlir::Location where);

  mlir::OpBuilder b; ///< at the end of the region

private:
  struct Input {
    mlir::Value tensor;
    SpaceLoops dims;
  };
  struct Combination;

  mlir::Block &block() { return region->front(); }
  void compute(mlir::Operation &inner, mlir::IRMapping &map);
  mlir::LogicalResult addReduction(mlir::linalg::GenericOp op, mlir::IRMapping &map);
  std::optional<Combination> combinationOfNone(mlir::linalg::GenericOp op,
                                               mlir::TypedAttr identity);
  std::optional<Combination> combinationOfAbsorbing(mlir::linalg::GenericOp op,
                                                    mlir::TypedAttr identity);
  void removeUnneeded();

  std::unique_ptr<mlir::Region> region;
  std::vector<Input> inputs;                      ///< of the arguments
  llvm::SmallVector<mlir::Value> elements;        ///< of the results
  std::vector<SpaceLoops> dims;                   ///< likewise
  llvm::DenseMap<mlir::Value, mlir::Value> known; ///< tensors that are no inputs -> elements
};

/// Makes one operation of those of a row group, which have these loops in its space.
mlir::LogicalResult buildRows(ir::FusionGroupOp group,
                              const llvm::DenseMap<mlir::Operation *, SpaceLoops> &loops);

} // namespace mmk
