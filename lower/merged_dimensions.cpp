// Dimensions of a product that are several of the language: the rows of a convolution are all
// pixels of an image. Operands are merged in memory, the result is split, and elementwise work on
// it is done in the merged dimensions, where it belongs to the product.
#include "lower/kernel_to_ir.h"

#include "ir/element_type.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace mmk {

/// For each group of dimensions, the first.
static std::vector<size_t> startsOf(llvm::ArrayRef<size_t> groups) {
  std::vector<size_t> starts;
  size_t next = 0;
  for (size_t count : groups) {
    starts.push_back(next);
    next += count;
  }
  return starts;
}

/// Whether the dimensions of each group that the tensor has follow each other there, so that they
/// are one in memory; it may lack those of extent 1 in `shape`.
static bool isCollapsible(const View &view, const Shape &shape, llvm::ArrayRef<size_t> groups) {
  for (auto [first, count] : llvm::zip(startsOf(groups), groups)) {
    const auto isOfGroup = [first = first, count = count](unsigned logical) {
      return logical >= first && logical < first + count;
    };
    if (llvm::none_of(view.order, isOfGroup))
      continue;
    auto at = llvm::find_if(view.order, isOfGroup);
    for (size_t logical = first; logical < first + count; ++logical)
      if (at != view.order.end() && *at == logical)
        ++at;
      else if (logical >= shape.size() || shape[logical] != Dimension{"", 1})
        return false;
  }
  return true;
}

/// The dimensions of a tensor in the groups that it has, and their names.
static llvm::SmallVector<mlir::ReassociationIndices>
piecesOf(const View &view, const Shape &shape, llvm::ArrayRef<size_t> groups, View &result) {
  result = {{}, {}, static_cast<unsigned>(shape.size()), {}};
  const std::vector<size_t> starts = startsOf(groups);
  llvm::SmallVector<mlir::ReassociationIndices> pieces;
  for (size_t i = 0; i < view.order.size();) {
    const size_t group = llvm::upper_bound(starts, view.order[i]) - starts.begin() - 1;
    auto &piece = pieces.emplace_back();
    for (; i < view.order.size() && view.order[i] - starts[group] < groups[group]; ++i)
      piece.push_back(static_cast<int64_t>(i));
    result.order.push_back(group);
    result.shape.push_back(shape[group]);
  }
  return pieces;
}

/// The same memory with each piece of its dimensions as one.
mlir::Value KernelToIr::collapsed(mlir::Value tensor,
                                  llvm::ArrayRef<mlir::ReassociationIndices> pieces,
                                  const Shape &shape) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  if (static_cast<int64_t>(pieces.size()) == type.getRank())
    return tensor;
  const auto before = split_.find(tensor);
  if (before != split_.end() && before->second.shape == shape)
    return before->second.value;
  auto collapse = tensor::CollapseShapeOp::create(b, loc, tensorType(shape, type.getElementType()),
                                                  tensor, pieces);
  collapse->setAttr("mmk.dims", names(shape));
  return collapse;
}

/// The elements of a tensor with each piece of its dimensions as one, where elementwise work reads
/// them. Null where its positions are read apart.
mlir::Value KernelToIr::mergedElements(mlir::Value tensor,
                                       llvm::ArrayRef<mlir::ReassociationIndices> pieces,
                                       const Shape &shape) {
  mlir::Operation *op = tensor.getDefiningOp();
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  if (static_cast<int64_t>(pieces.size()) == type.getRank())
    return tensor;
  auto generic = mlir::dyn_cast_or_null<linalg::GenericOp>(op);
  const bool isElementwise = generic && generic.getNumParallelLoops() == generic.getNumLoops();
  auto slice = mlir::dyn_cast_or_null<tensor::ExtractSliceOp>(op);
  if (ir::isGenerated(op) || (slice && slice.getSource().getDefiningOp()) ||
      (isElementwise && !generic.getBody()->getOps<linalg::IndexOp>().empty()))
    return {};
  if (!isElementwise)
    return collapsed(tensor, pieces, shape);
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  for (mlir::OpOperand *input : generic.getDpsInputOperands()) {
    Shape own;
    llvm::SmallVector<mlir::ReassociationIndices> ownPieces;
    llvm::SmallVector<mlir::AffineExpr> along;
    const mlir::AffineMap map = generic.getMatchingIndexingMap(input);
    for (unsigned i = 0; i < map.getNumResults();) {
      const auto piece = llvm::find_if(pieces, [&](const mlir::ReassociationIndices &it) {
        return it.front() == map.getDimPosition(i);
      });
      if (piece == pieces.end())
        return {};
      auto &added = ownPieces.emplace_back();
      for (int64_t dim : *piece) {
        if (i == map.getNumResults() || map.getDimPosition(i) != dim)
          return {};
        added.push_back(i++);
      }
      along.push_back(b.getAffineDimExpr(piece - pieces.begin()));
      own.push_back(shape[piece - pieces.begin()]);
    }
    inputs.push_back(mergedElements(input->get(), ownPieces, own));
    if (!inputs.back())
      return {};
    maps.push_back(mlir::AffineMap::get(pieces.size(), 0, along, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(pieces.size()));
  mlir::Value init = emptyTensor(shape, type.getElementType());
  auto merged = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps,
      llvm::SmallVector(pieces.size(), mlir::utils::IteratorType::parallel));
  mlir::IRMapping map;
  generic.getRegion().cloneInto(&merged.getRegion(), map);
  return merged.getResult(0);
}

/// A value of `shape` in the dimensions of `matrix`, as the operand of a product. One whose
/// elements lie in another order, or nowhere, is written out.
View KernelToIr::merged(View view, const Shape &shape, const Shape &matrix,
                        llvm::ArrayRef<size_t> groups) {
  if (isScalar(view) || ir::isGenerated(view.value.getDefiningOp()) ||
      !isCollapsible(view, shape, groups))
    view = elementwise(
        shape, *elementTypeOf(elementOf(view)), view,
        [](mlir::OpBuilder &, mlir::ValueRange elements) { return elements[0]; },
        /*keepsUnits=*/true);
  View result;
  const auto pieces = piecesOf(view, matrix, groups, result);
  result.value = collapsed(view.value, pieces, result.shape);
  return result;
}

/// The view of a tensor as one with the dimensions of `shape`, of which each of its own is a group.
View KernelToIr::expanded(const View &merged, const Shape &shape, llvm::ArrayRef<size_t> groups) {
  const std::vector<size_t> starts = startsOf(groups);
  View result{{}, {}, static_cast<unsigned>(shape.size()), {}};
  llvm::SmallVector<mlir::ReassociationIndices> pieces;
  llvm::SmallVector<mlir::OpFoldResult> extents;
  for (unsigned group : merged.order) {
    auto &piece = pieces.emplace_back();
    for (size_t i = 0; i < groups[group]; ++i) {
      piece.push_back(static_cast<int64_t>(result.order.size()));
      result.order.push_back(starts[group] + i);
      result.shape.push_back(shape[starts[group] + i]);
      extents.push_back(extent(result.shape.back()));
    }
  }
  if (pieces.size() == result.order.size()) {
    result.value = merged.value;
    return result;
  }
  result.value = tensor::ExpandShapeOp::create(b, loc, tensorType(result.shape, elementOf(merged)),
                                               merged.value, pieces, extents);
  split_[result.value] = merged;
  return result;
}

View KernelToIr::split(const Value *value) {
  return expanded(lower(value->operands[0], false), value->shape, value->along);
}

/// Elementwise work on a tensor that was split, in the dimensions that it had before; nothing where
/// an operand has them apart.
std::optional<View> KernelToIr::mergedElementwise(
    const Shape &domain, ElementType type, llvm::ArrayRef<View> views,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> element, bool keepsUnits) {
  const auto isSplit = [&](const View &view) { return split_.contains(view.value); };
  const auto found = llvm::find_if(views, isSplit);
  if (found == views.end())
    return std::nullopt;
  // Of each tensor, its dimensions among those of the domain.
  std::vector<View> wholes = views.vec();
  for (View &view : wholes) {
    for (unsigned &logical : view.order)
      logical += domain.size() - view.rank;
    view.rank = domain.size();
  }
  const View &whole = wholes[found - views.begin()], &before = split_.find(found->value)->second;
  auto pieces = found->value.getDefiningOp<tensor::ExpandShapeOp>().getReassociationIndices();
  std::vector<size_t> groups;
  Shape shape;
  for (size_t dim = 0; dim < domain.size(); dim += groups.back()) {
    const auto at = llvm::find(whole.order, dim) - whole.order.begin();
    const auto piece = llvm::find_if(pieces, [&](const auto &it) { return it.front() == at; });
    // Those of extent 1 between its own ones, too.
    groups.push_back(piece == pieces.end() ? 1 : whole.order[piece->back()] - dim + 1);
    shape.push_back(groups.back() == 1 ? domain[dim] : before.shape[piece - pieces.begin()]);
  }
  std::vector<View> merged;
  for (const View &view : wholes) {
    if (isScalar(view)) {
      merged.push_back(view);
      continue;
    }
    if (!isCollapsible(view, domain, groups))
      return std::nullopt;
    View &own = merged.emplace_back();
    const auto ownPieces = piecesOf(view, shape, groups, own);
    own.value = mergedElements(view.value, ownPieces, own.shape);
    if (!own.value)
      return std::nullopt;
  }
  return expanded(elementwise(shape, type, merged, element, keepsUnits), domain, groups);
}

} // namespace mmk
