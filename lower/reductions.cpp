// Reductions and scans. A reduced dimension of extent 1 has no dimension of the tensor.
#include "lower/kernel_to_ir.h"

#include "lower/elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

namespace mmk {

// Conditions have no tensors: numbers, 1 where one holds and else 0, stand for them.
View KernelToIr::asNumbers(const View &conditions, const Shape &shape, bool keepsUnits) {
  return elementwise(
      shape, ElementType::f32, conditions,
      [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
        return numberOfCondition(builder, loc, elements[0]);
      },
      keepsUnits);
}

View KernelToIr::asConditions(const View &numbers, const Shape &shape) {
  return elementwise(shape, ElementType::boolean, numbers,
                     [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
                       return conditionOfNumber(builder, loc, elements[0]);
                     });
}

// Whether any is true is the maximum, whether all are is the minimum.
View KernelToIr::reduceConditions(const Value *value, View operand) {
  const Reduction extreme =
      value->reduction == Reduction::any ? Reduction::maximum : Reduction::minimum;
  operand = asNumbers(operand, value->operands[0]->shape, /*keepsUnits=*/false);
  return asConditions(reduce(value, operand, extreme, b.getF32Type()), value->shape);
}

View KernelToIr::reduce(const Value *value) {
  const View operand = lower(value->operands[0], false);
  if (value->reduction == Reduction::any || value->reduction == Reduction::all)
    return reduceConditions(value, operand);
  return reduce(value, operand, value->reduction, typeOf(value->operands[0]->type, b.getContext()));
}

// The reduced dimensions are none of the result's tensor.
View KernelToIr::reduce(const Value *value, View operand, Reduction reduction, mlir::Type element) {
  std::optional<View> guard;
  if (value->operands.size() > 1)
    guard = withoutUnits(lower(value->operands[1], false), value->operands[0]->shape);
  // What repeats along a reduced dimension, or along one of the condition, is written out.
  const auto isThere = [&](size_t logical) { return llvm::is_contained(operand.order, logical); };
  if (!llvm::all_of(value->along, isThere) ||
      (guard && !llvm::all_of(guard->order, [&](unsigned logical) {
         return isThere(logical + operand.rank - guard->rank);
       })))
    operand = whole(operand, value->operands[0], *elementTypeOf(element));
  const bool isArgument = reduction == Reduction::argmax || reduction == Reduction::argmin;
  View result{{}, {}, operand.rank, {}};
  std::vector<mlir::AffineExpr> out;
  std::vector<mlir::utils::IteratorType> iterators;
  unsigned position = 0;
  for (unsigned i = 0; i < operand.order.size(); ++i) {
    const bool isReduced = llvm::is_contained(value->along, operand.order[i]);
    iterators.push_back(isReduced ? mlir::utils::IteratorType::reduction
                                  : mlir::utils::IteratorType::parallel);
    if (isReduced) {
      position = i;
      continue;
    }
    out.push_back(b.getAffineDimExpr(i));
    result.order.push_back(operand.order[i]);
    result.shape.push_back(operand.shape[i]);
  }
  const unsigned rank = operand.order.size();
  const mlir::AffineMap map = mlir::AffineMap::get(rank, 0, out, b.getContext());
  std::vector<mlir::Value> inits = {
      filled(result.shape, arith::ConstantOp::create(b, loc, identityOf(b, reduction, element)))};
  std::vector<mlir::AffineMap> maps = {b.getMultiDimIdentityMap(rank)};
  std::vector<mlir::Value> inputs = {operand.value};
  if (guard) {
    std::vector<mlir::AffineExpr> along;
    for (unsigned logical : guard->order)
      along.push_back(b.getAffineDimExpr(
          llvm::find(operand.order, logical + operand.rank - guard->rank) - operand.order.begin()));
    maps.push_back(mlir::AffineMap::get(rank, 0, along, b.getContext()));
    inputs.push_back(guard->value);
  }
  maps.push_back(map);
  if (isArgument) {
    inits.push_back(filled(result.shape, arith::ConstantOp::create(
                                             b, loc, b.getZeroAttr(mlir::Type(b.getI32Type())))));
    maps.push_back(map);
  }
  std::vector<mlir::Type> types;
  for (mlir::Value init : inits)
    types.push_back(init.getType());
  auto generic = linalg::GenericOp::create(
      b, loc, types, inputs, inits, maps, iterators,
      [&](mlir::OpBuilder &builder, mlir::Location, mlir::ValueRange arguments) {
        std::vector<mlir::Value> step(arguments.begin(), arguments.end());
        if (guard) {
          // The element itself is left out: NaN times 0 would not be.
          mlir::Value identity =
              arith::ConstantOp::create(builder, loc, identityOf(builder, reduction, element));
          step[0] = arith::SelectOp::create(builder, loc, step[1], step[0], identity);
          step.erase(step.begin() + 1);
        }
        linalg::YieldOp::create(builder, loc,
                                emitReduction(builder, loc, reduction, step, position));
      });
  if (!value->name.empty())
    generic->setAttr("mmk.name", b.getStringAttr(value->name));
  result.value = generic.getResults().back();
  return result;
}

View KernelToIr::cumulate(const Value *value) {
  View view = lower(value->operands[0], false);
  if (ir::isGenerated(view.value.getDefiningOp()))
    view = whole(view, value, value->operands[0]->type);
  const int64_t along = llvm::find(view.order, value->along[0]) - view.order.begin();
  view.value = ir::CumulateOp::create(b, loc, view.value.getType(), view.value, along);
  return view;
}

View KernelToIr::squeeze(const Value *value) {
  View view = lower(value->operands[0], false);
  const Shape &whole = value->operands[0]->shape;
  // Of each logical dimension, its number among those that stay.
  std::vector<std::optional<size_t>> stays(whole.size());
  size_t own = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    if (own < value->shape.size() && whole[i] == value->shape[own])
      stays[i] = own++;
  return moved(view, whole, stays, value->shape.size());
}

} // namespace mmk
