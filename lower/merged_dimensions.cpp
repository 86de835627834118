// Dimensions of a product that are several of the language: the rows of a convolution are all
// pixels of an image. Operands are merged in memory, and the result is split.
#include "lower/kernel_to_ir.h"

#include "ir/element_type.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
  result.value = view.value;
  if (pieces.size() == view.order.size())
    return result;
  auto collapse = tensor::CollapseShapeOp::create(b, loc, tensorType(result.shape, elementOf(view)),
                                                  view.value, pieces);
  collapse->setAttr("mmk.dims", names(result.shape));
  result.value = collapse;
  return result;
}

// Each dimension of the product is a group of those of the value.
View KernelToIr::split(const Value *value) {
  const View merged = lower(value->operands[0], false);
  const Shape &shape = value->shape;
  const std::vector<size_t> &groups = value->along;
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
  return result;
}

} // namespace mmk
