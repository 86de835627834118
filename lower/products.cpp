// Products of the language as linalg.contract.
#include "lower/kernel_to_ir.h"

#include "frontend/product_condition.h"
#include "ir/excludes.h"
#include "lower/elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

namespace mmk {

/// Whether the tensor's last two dimensions are those of the view, in either order, and its batches
/// lie before them in order, as the passes read the operands of a product.
static bool isMatrix(const View &view) {
  const size_t rank = view.order.size();
  if (rank < 2 || !llvm::is_sorted(llvm::ArrayRef(view.order).drop_back(2)))
    return false;
  const unsigned last = std::max(view.order[rank - 1], view.order[rank - 2]),
                 first = std::min(view.order[rank - 1], view.order[rank - 2]);
  return last == view.rank - 1 && first == view.rank - 2;
}

/// A window whose matrices lie in its source: its dimensions in the order in which a product reads
/// them in place. Any other view as it is.
View KernelToIr::withWindowOfMatrices(const View &view) {
  auto window = view.value.getDefiningOp<ir::WindowOp>();
  const unsigned rank = view.order.size();
  if (!window || window.getPadding() || rank < 2)
    return view;
  auto places = llvm::to_vector(llvm::seq<unsigned>(rank));
  llvm::sort(places, [&](unsigned x, unsigned y) { return view.order[x] < view.order[y]; });
  if (view.order[places[rank - 2]] + 2 != view.rank ||
      view.order[places[rank - 1]] + 1 != view.rank)
    return view;
  const mlir::AffineMap map = window.getMap();
  if (map.getNumResults() > 0 && map.getResults().back() == b.getAffineDimExpr(places[rank - 2]))
    std::swap(places[rank - 2], places[rank - 1]);
  llvm::SmallVector<mlir::AffineExpr> dims(rank);
  View moved{{}, {}, view.rank, {}};
  for (auto [own, place] : llvm::enumerate(places)) {
    dims[place] = b.getAffineDimExpr(own);
    moved.order.push_back(view.order[place]);
    moved.shape.push_back(view.shape[place]);
  }
  const auto ofMatrices = map.replaceDimsAndSymbols(dims, {}, rank, map.getNumSymbols());
  if (!ir::givesMatrices(ofMatrices) || llvm::is_sorted(places))
    return view;
  moved.value =
      ir::WindowOp::create(b, loc, window.getResult().getType(), window.getSource(), ofMatrices,
                           window.getSymbols(), names(moved.shape), {}, window.getGrouped());
  return moved;
}

/// Whether a product reads the tensor where it is.
static bool isInMemory(mlir::Value tensor) {
  auto window = tensor.getDefiningOp<ir::WindowOp>();
  return window ? window.isOfMatrices() : !ir::isGenerated(tensor.getDefiningOp());
}

/// The view with a tensor that is a matrix: one that was reduced has its last dimensions no more,
/// and of others the dimensions are in another order, or it is generated. Those are written out.
View KernelToIr::withMatrix(const View &view) {
  if (isMatrix(view) && isInMemory(view.value))
    return view;
  Shape shape(view.rank, {"", 1});
  for (size_t i = 0; i < view.order.size(); ++i)
    shape[view.order[i]] = view.shape[i];
  const mlir::Type element =
      mlir::cast<mlir::RankedTensorType>(view.value.getType()).getElementType();
  return elementwise(
      shape, *elementTypeOf(element), view,
      [](mlir::OpBuilder &, mlir::ValueRange elements) { return elements[0]; },
      /*keepsUnits=*/true);
}

/// The operand of a product with 0 in place of the elements for which the condition does not hold,
/// in the order in which it lies in memory.
View KernelToIr::selected(const View &operand, const View &guard) {
  if (isMatrix(operand) && operand.order.back() != operand.rank - 1)
    return transposedView(selected(transposedView(operand), transposedView(guard)));
  Shape domain(std::max(operand.rank, guard.rank), {"", 1});
  for (const View *view : {&guard, &operand})
    for (size_t i = 0; i < view->order.size(); ++i)
      if (view->shape[i] != Dimension{"", 1})
        domain[view->order[i] + domain.size() - view->rank] = view->shape[i];
  const mlir::Type element = elementOf(operand);
  return elementwise(
      domain, *elementTypeOf(element), {guard, operand},
      [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
        mlir::Value zero = arith::ConstantOp::create(builder, loc, b.getZeroAttr(element));
        auto select = arith::SelectOp::create(builder, loc, elements[0], elements[1], zero);
        select->setAttr(ir::excludesAttr, b.getUnitAttr());
        return select.getResult();
      },
      /*keepsUnits=*/!isMatrix(operand));
}

/// An operand of a product, with 0 where `guard` does not hold; that is aligned with the other
/// operand if `isOther`. Matrices of several dimensions are selected from before those are merged.
View KernelToIr::operandOfProduct(const Value *value, const Value *guard, bool isOther,
                                  bool transposed) {
  if (value->operation == Operation::reshape &&
      value->shape.size() < value->operands[0]->shape.size()) {
    View whole = lower(value->operands[0], false);
    if (guard)
      whole = selected(whole, lower(guard->operands[0], false));
    const View matrix = merged(whole, value->operands[0]->shape, value->shape, value->along);
    return transposed ? transposedView(matrix) : matrix;
  }
  View view = withWindowOfMatrices(lower(value, transposed));
  return guard ? selected(view, lower(guard, transposed != isOther)) : view;
}

View KernelToIr::product(const Value *value, bool transposed) {
  // The transpose of a product is the product of the transposes, in reverse order.
  View operands[2];
  for (size_t i : {size_t(0), size_t(1)}) {
    const bool isGuarded =
        value->operands.size() > 2 && (value->along[0] == i || standsWithBoth(*value));
    const bool isOther = isGuarded && value->along[0] != i;
    operands[transposed ? 1 - i : i] = operandOfProduct(
        value->operands[i], isGuarded ? value->operands[2] : nullptr, isOther, transposed);
  }
  auto &[left, right] = operands;
  Shape result = transposed ? transposedShape(value->shape) : value->shape;
  const size_t rank = result.size(), batch = rank - 2;
  const unsigned m = batch, n = batch + 1, k = batch + 2;

  auto mapOf = [&](const View &view, unsigned row, unsigned column) {
    std::vector<mlir::AffineExpr> along;
    for (unsigned logical : view.order) {
      unsigned fromEnd = view.rank - logical;
      along.push_back(b.getAffineDimExpr(fromEnd == 1   ? column
                                         : fromEnd == 2 ? row
                                                        : batch + 2 - fromEnd));
    }
    return mlir::AffineMap::get(rank + 1, 0, along, b.getContext());
  };
  // Only batch dimensions broadcast; the shape against which units are dropped has the operand's
  // own last two.
  auto batchOnly = [&](View view) {
    Shape domain = result;
    for (size_t i = 0; i < view.shape.size(); ++i)
      if (view.order[i] + 2 >= view.rank)
        domain[view.order[i] + rank - view.rank] = view.shape[i];
    return withoutUnits(view, domain);
  };
  left = batchOnly(withMatrix(left));
  right = batchOnly(withMatrix(right));

  std::vector<mlir::AffineExpr> out;
  for (unsigned i = 0; i < rank; ++i)
    out.push_back(b.getAffineDimExpr(i));
  mlir::ArrayAttr maps =
      b.getAffineMapArrayAttr({mapOf(left, m, k), mapOf(right, k, n),
                               mlir::AffineMap::get(rank + 1, 0, out, b.getContext())});

  mlir::Type element = typeOf(value->type, b.getContext());
  mlir::Value init = filled(result, arith::ConstantOp::create(b, loc, b.getZeroAttr(element)));
  auto contract = linalg::ContractOp::create(b, loc, mlir::TypeRange{init.getType()},
                                             mlir::ValueRange{left.value, right.value},
                                             mlir::ValueRange{init}, maps);
  if (!value->name.empty())
    contract->setAttr("mmk.name", b.getStringAttr(value->name));
  View view{contract.getResult(0), {}, static_cast<unsigned>(rank), result};
  for (unsigned i = 0; i < rank; ++i)
    view.order.push_back(i);
  return view;
}

} // namespace mmk
