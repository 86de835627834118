// mmk-fuse-epilogue in five files: fuse_epilogue.cpp decides which group computes which value,
// row_groups.cpp the groups of reductions among them, chains/find.cpp those of several products
// in one loop, join_products.cpp those of several products side by side, emit_groups.cpp emits
// them.
#pragma once

#include "ir/mmk.h"
#include "passes/dimensions.h"
#include "passes/row_space.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mmk {

/// A tensor in an iteration space: the element that each iteration reads.
using Use = std::pair<mlir::Value, mlir::AffineMap>;

inline bool isCumulation(mlir::Value value) {
  return value.getDefiningOp<ir::CumulateOp>() != nullptr;
}
inline bool isNode(mlir::Value value) {
  return value.getDefiningOp<mlir::linalg::LinalgOp>() || isCumulation(value);
}
inline mlir::linalg::ContractOp productOf(mlir::Value value) {
  return value.getDefiningOp<mlir::linalg::ContractOp>();
}
inline bool isReduction(mlir::Value value) { return isRowReduction(value.getDefiningOp()); }
/// Whether it is computed by operations that are never inlined where they are read.
inline bool isAnchor(mlir::Value value) {
  return productOf(value) || isReduction(value) || isCumulation(value);
}

/// Through slices, reshapes and windows.
mlir::Value behindWindows(mlir::Value value);

// Only values that have to be in global memory end a fusion group: results, operands of a product,
// and values that a fusion group needs of an earlier one. All others are recomputed at their uses,
// in registers. Upstream's elementwise fusion is not used for this: it fuses one producer into one
// consumer, where a fusion group with several results wants one op that computes them all.
class Fuser {
public:
  /// `joinsTaps`: whether one group may compute several products side by side.
  Fuser(ir::KernelOp kernel, bool joinsTaps)
      : kernel(kernel), block(kernel.getBody().front()), b(kernel.getContext()),
        separate(kernel.chosenWord("fuse", "all") == "none"),
        joinsProducts(kernel.chosenWord("fuse", "all") == "rows"),
        chainsProducts(kernel.chosenWord("fuse", "all") == "products"),
        joinsTaps(joinsTaps && kernel.chosenWord("fuse", "all") == "windows") {}

  mlir::LogicalResult run();
  /// Of the operations of row groups that it has made: the loops in the space of their group.
  const llvm::DenseMap<mlir::Operation *, SpaceLoops> &loopsOfRows() const { return rowLoops; }

private:
  // fuse_epilogue.cpp
  mlir::LogicalResult check();
  /// What products and windows read, and reductions of what only repeats along them.
  llvm::SmallVector<mlir::Value> operandsInMemory();
  void chooseKept();
  /// Whether it is computed from the element of a product in the same place.
  bool isBehindProduct(mlir::Value value);
  /// Whether it is computed from reductions of rows that cores divide.
  bool isOfDividedRows(mlir::Value value);
  /// False where a chain of products turned out not to fit one group; all is chosen again then.
  bool chooseGroups();
  void findReads();
  void listOutputs();
  /// The operands of a product that are in memory: all but what a chain computes.
  mlir::ValueRange operandsOf(mlir::linalg::ContractOp contract) {
    return contract.getInputs().drop_front(isSecond(contract) ? 1 : 0);
  }
  mlir::Operation *groupOfLeaf(mlir::Value leaf);
  /// The last in the block of the groups that compute them; null without any.
  mlir::Operation *lastGroupOf(llvm::ArrayRef<Use> leaves);
  /// The group of a value that is no product, and whether it is one of a product.
  mlir::Operation *chooseGroup(mlir::Value value, llvm::ArrayRef<Use> leaves);
  /// The kept values, reductions and products that `value` is computed from, each with the map from
  /// the iterations of `value`. Stops at kept values other than `value`.
  llvm::SmallVector<Use> leavesOf(mlir::Value value);
  void collectLeaves(Use use, bool root, llvm::DenseSet<Use> &seen,
                     llvm::SmallVectorImpl<Use> &leaves);
  Use resolve(Use use);
  /// Whether `op`, and all between it and a product or a kept value, changes the type alone.
  bool onlyConverts(mlir::linalg::LinalgOp op);
  /// Kept values and reductions, in block order.
  llvm::SmallVector<mlir::Value> groupedValues();

  // row_groups.cpp
  /// The operands of reductions that go along a dimension which nothing in memory has.
  void addRepeated(llvm::SmallVectorImpl<mlir::Value> &operands);
  struct RowGroup {
    RowSpace space;
    llvm::MapVector<mlir::Operation *, SpaceLoops> members; ///< with their loops
    bool isDivided = false; ///< its rows are reduced in parts by different cores
  };
  RowGroup groupOver(RowSpace space);
  /// Whether a group whose rows are divided may have this member.
  bool joinsDivided(RowGroup &group, mlir::Value value, llvm::ArrayRef<int64_t> loops,
                    llvm::ArrayRef<Use> leaves);
  /// The loops of `value` in a row group, if it can join it.
  std::optional<SpaceLoops> loopsInGroup(RowGroup &group, mlir::Value value,
                                         llvm::ArrayRef<Use> leaves);
  /// Makes the group of a product a row group, which `value` reduces and all that the group
  /// computes joins; false where that cannot be.
  bool startBehind(mlir::linalg::ContractOp product, mlir::Value value, llvm::ArrayRef<Use> leaves);
  /// The row group that `value` joins, or starts; null for neither.
  mlir::Operation *chooseRowGroup(mlir::Value value, llvm::ArrayRef<Use> leaves);
  /// Moves into the group the results that its new member reads and nothing has read before it.
  void takeReadResults(mlir::Operation *owner, llvm::ArrayRef<Use> leaves);
  void takeIndependentResults();
  void collectOperands(mlir::Value value, llvm::DenseSet<mlir::Value> &operands);
  bool sharesOperand(RowGroup &group, mlir::Value value);

  // join_products.cpp
  /// The last of the products that `value` is computed from, if one group may compute them all side
  /// by side, tile by tile; null otherwise.
  mlir::Operation *joinProducts(mlir::Value value, llvm::ArrayRef<Use> leaves);

  // chains/find.cpp
  /// Products that one group may compute, in block order.
  struct ProductChain {
    llvm::SetVector<mlir::linalg::ContractOp> firsts, seconds;

    bool isInOneLoop() const;
  };
  /// The chains, without those that are known not to fit.
  void findChains();
  /// Says why `fuse = products` has no chain.
  mlir::LogicalResult refuseChains();
  /// In place of those that have some of its products.
  void addChain(ProductChain chain);
  /// Adds what the rows of a group are of: the first products of a chain, or one product; false
  /// where one is needed in memory.
  bool addProducts(RowGroup &group, mlir::Operation *owner);
  /// Makes `weights`, the left operand of second products of a chain, part of its group; false
  /// where they cannot be computed there.
  bool joinChain(mlir::Operation *owner, mlir::Value weights, llvm::ArrayRef<Use> leaves);
  /// Gives up the second products of these weights.
  void breakChain(mlir::Value weights);
  /// Gives up chains whose group has a result for each column, which takes another pass over them,
  /// or reads what is computed from its own results. Whether there are any.
  bool breakChains();
  bool reads(mlir::Operation *group, mlir::Operation *other,
             llvm::DenseSet<mlir::Operation *> &seen);
  /// Whether a product is a second one of a chain.
  bool isSecond(mlir::Operation *product) {
    const auto chain = chains.find(chainOf.lookup(product));
    return chain != chains.end() &&
           chain->second.seconds.contains(mlir::cast<mlir::linalg::ContractOp>(product));
  }
  /// The owner of the chain in which this is the left operand of second products; null for another
  /// value.
  mlir::Operation *chainOfWeights(mlir::Value value);

  // emit_groups.cpp
  /// The elements of a group's operation, with the values of the group that it inlines.
  class Inlining;
  /// An operand for reads of `value` by `map`, whose constant results become a slice of it.
  mlir::Value operandFor(mlir::Value value, mlir::AffineMap &map, mlir::IRMapping &inGroup);
  void emitGroup(mlir::Operation *owner);
  /// Emits the group, and before it those whose results it reads.
  void emitInOrder(mlir::Operation *owner);
  void emitProduct(mlir::linalg::ContractOp contract, mlir::IRMapping &inGroup);
  mlir::linalg::GenericOp emitReduction(mlir::linalg::GenericOp op, mlir::Operation *owner,
                                        mlir::IRMapping &inGroup);
  void emitRows(mlir::Operation *owner, mlir::IRMapping &inGroup);
  void emitCumulation(ir::CumulateOp op, mlir::IRMapping &inGroup);
  /// All that a group computes.
  void emitOperations(mlir::Operation *owner, mlir::IRMapping &inGroup);
  /// Of elementwise results, those behind the same second product of a chain are one operation.
  std::vector<llvm::SmallVector<mlir::Value>> byProduct(mlir::Operation *owner,
                                                        llvm::ArrayRef<mlir::Value> outputs);
  llvm::SmallVector<mlir::Value> emitElementwise(llvm::ArrayRef<mlir::Value> outputs,
                                                 mlir::Operation *owner, mlir::IRMapping &inGroup);
  mlir::Value outside(mlir::Value value, mlir::IRMapping &inGroup);

  ir::KernelOp kernel;
  mlir::Block &block;
  mlir::OpBuilder b;
  bool separate;
  bool joinsProducts;        ///< reductions of rows join the group of the product that they read
  bool chainsProducts;       ///< so does a product of what is computed from the rows
  bool joinsTaps;            ///< so do the products of the taps of a pooling
  bool exceedsRange = false; ///< whether weights were found that one loop may not compute in f16
  llvm::MapVector<mlir::Operation *, ProductChain> chains;      ///< by the first of their products
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> chainOf; ///< product -> owner of its chain
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> joined;  ///< product -> the last beside it
  llvm::DenseSet<mlir::Operation *> broken; ///< second products that no chain computes
  llvm::SetVector<mlir::Value> kept;        ///< in block order
  llvm::DenseMap<mlir::Value, mlir::Operation *> groupOf; ///< the op whose fusion group computes it
  llvm::MapVector<mlir::Operation *, RowGroup> rowGroups; ///< by their first reduction
  llvm::DenseSet<mlir::Value> repeated;   ///< kept for addRepeated, and of no row group
  llvm::DenseSet<mlir::Value> readBefore; ///< values that an earlier group reads from memory
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value>> outputsOf;
  std::vector<std::pair<mlir::Value, mlir::Value>> leavesRead; ///< grouped values with their leaves
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>> readsOf; ///< other groups
  llvm::DenseSet<mlir::Operation *> emitted;
  llvm::DenseMap<mlir::Operation *, SpaceLoops> rowLoops;
  mlir::IRMapping global; ///< kept value -> result of its fusion group
};

} // namespace mmk
