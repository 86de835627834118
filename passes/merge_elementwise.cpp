// The rows of a product may be several dimensions of the language: those of a convolution are all
// pixels of an image. Elementwise work on its result is done in the product's own dimensions, where
// it belongs to the product's tile.
#include "passes/merge_elementwise.h"

#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/variant.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {
namespace {

/// Dimensions that are one together: their numbers, and their name.
struct Group {
  ReassociationIndices dims;
  StringRef name;
};

RankedTensorType typeOf(ArrayRef<Group> groups, Value tensor) {
  return RankedTensorType::get(SmallVector<int64_t>(groups.size(), ShapedType::kDynamic),
                               cast<RankedTensorType>(tensor.getType()).getElementType());
}

SmallVector<ReassociationIndices> piecesOf(ArrayRef<Group> groups) {
  return llvm::map_to_vector(groups, [](const Group &group) { return group.dims; });
}

bool isElementwise(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapsArray().back().isIdentity();
}

/// The loops of an operation that are one in a product which it reads; none where it has them in
/// another order, or where the product was not split.
SmallVector<Group> groupsOf(linalg::GenericOp op) {
  const auto isSplit = [](OpOperand *input) {
    return input->get().getDefiningOp<tensor::ExpandShapeOp>() != nullptr;
  };
  const auto inputs = op.getDpsInputOperands();
  const auto input = llvm::find_if(inputs, isSplit);
  if (input == inputs.end())
    return {};
  auto expand = (*input)->get().getDefiningOp<tensor::ExpandShapeOp>();
  const SmallVector<StringRef> names = dimNames(op);
  const AffineMap map = op.getMatchingIndexingMap(*input);
  SmallVector<Group> groups;
  for (int64_t loop = 0; loop < op.getNumLoops(); loop += groups.back().dims.size()) {
    Group &group = groups.emplace_back(Group{{loop}, names[loop]});
    for (auto [number, piece] : llvm::enumerate(expand.getReassociationIndices())) {
      if (map.getDimPosition(piece.front()) != loop || piece.size() == 1)
        continue;
      group.name = dimName(expand.getSrc(), number);
      // Those of extent 1 between its own ones, too.
      for (int64_t dim : ArrayRef(piece).drop_front()) {
        int64_t next = group.dims.back() + 1;
        for (; next < map.getDimPosition(dim) && names[next] == "1"; ++next)
          group.dims.push_back(next);
        if (next != map.getDimPosition(dim))
          return {};
        group.dims.push_back(next);
      }
    }
  }
  return groups;
}

class Merger {
public:
  explicit Merger(ir::KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
      b.setInsertionPoint(&op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op); isElementwise(generic))
        merge(generic);
      else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
        if (Value before = beforeSplit(collapse.getSrc(), groupsOf(collapse)))
          collapse.replaceAllUsesWith(before);
    }
    eraseDeadOperations(kernel);
  }

private:
  static SmallVector<Group> groupsOf(tensor::CollapseShapeOp collapse) {
    SmallVector<Group> groups;
    for (auto [dim, piece] : llvm::enumerate(collapse.getReassociationIndices()))
      groups.push_back({piece, dimName(collapse, dim)});
    return groups;
  }

  void merge(linalg::GenericOp op) {
    const SmallVector<Group> groups = mmk::groupsOf(op);
    const Value merged = groups.empty() ? Value() : computed(op, groups);
    if (!merged)
      return;
    const SmallVector<OpFoldResult> extents =
        llvm::map_to_vector(dimNames(op), [&](StringRef name) -> OpFoldResult {
          return dimValue(b, op.getLoc(), name);
        });
    op.getResult(0).replaceAllUsesWith(tensor::ExpandShapeOp::create(
        b, op.getLoc(), op.getResult(0).getType(), merged, piecesOf(groups), extents));
  }

  /// What was split into the dimensions of these groups; null for another tensor.
  static Value beforeSplit(Value tensor, ArrayRef<Group> groups) {
    auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand || expand.getReassociationIndices() != piecesOf(groups))
      return {};
    for (auto [dim, group] : llvm::enumerate(groups))
      if (dimName(expand.getSrc(), dim) != group.name)
        return {};
    return expand.getSrc();
  }

  /// The elements of a tensor along groups of its dimensions. Null where its positions are read
  /// apart.
  Value along(Value tensor, ArrayRef<Group> groups) {
    if (int64_t(groups.size()) == cast<RankedTensorType>(tensor.getType()).getRank())
      return tensor;
    if (Value before = beforeSplit(tensor, groups))
      return before;
    Operation *op = tensor.getDefiningOp();
    auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op);
    if (ir::isGenerated(op) || (slice && slice.getSource().getDefiningOp()))
      return {};
    if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op); isElementwise(generic))
      return computed(generic, groups);
    auto collapse = tensor::CollapseShapeOp::create(b, tensor.getLoc(), typeOf(groups, tensor),
                                                    tensor, piecesOf(groups));
    collapse->setAttr(collapsedDimsAttr,
                      b.getStrArrayAttr(llvm::map_to_vector(
                          groups, [](const Group &group) { return group.name; })));
    return collapse;
  }

  /// The result of an elementwise operation along groups of its loops.
  Value computed(linalg::GenericOp op, ArrayRef<Group> groups) {
    if (!op.getBody()->getOps<linalg::IndexOp>().empty())
      return {};
    const SmallVector<StringRef> names = dimNames(op);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      SmallVector<Group> own;
      SmallVector<AffineExpr> read;
      const AffineMap map = op.getMatchingIndexingMap(input);
      for (unsigned i = 0; i < map.getNumResults();) {
        const unsigned first = i;
        const auto group = llvm::find_if(groups, [&](const Group &it) {
          return llvm::is_contained(it.dims, map.getDimPosition(i));
        });
        Group &added = own.emplace_back(Group{{}, group->name});
        for (int64_t loop : group->dims)
          if (i < map.getNumResults() && map.getDimPosition(i) == loop)
            added.dims.push_back(i++);
          else if (names[loop] != "1" || group->dims.size() == 1)
            return {};
        if (i == first)
          return {};
        read.push_back(b.getAffineDimExpr(group - groups.begin()));
      }
      inputs.push_back(along(input->get(), own));
      if (!inputs.back())
        return {};
      maps.push_back(AffineMap::get(groups.size(), 0, read, b.getContext()));
    }
    maps.push_back(b.getMultiDimIdentityMap(groups.size()));
    const SmallVector<Value> extents = llvm::map_to_vector(
        groups, [&](const Group &group) { return dimValue(b, op.getLoc(), group.name); });
    const Value init =
        tensor::EmptyOp::create(b, op.getLoc(), typeOf(groups, op.getResult(0)), extents);
    auto merged = linalg::GenericOp::create(
        b, op.getLoc(), init.getType(), inputs, init, maps,
        SmallVector<utils::IteratorType>(groups.size(), utils::IteratorType::parallel));
    merged->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    IRMapping mapping;
    op.getRegion().cloneInto(&merged.getRegion(), mapping);
    return merged.getResult(0);
  }

  ir::KernelOp kernel;
  OpBuilder b;
};

} // namespace

void mergeElementwise(ir::KernelOp kernel) { Merger(kernel).run(); }

} // namespace mmk
