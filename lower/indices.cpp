// Index notation: tensors that are read at indices, positions, and random numbers.
#include "lower/kernel_to_ir.h"

#include "frontend/index/calculated_dimension.h"
#include "frontend/rule_builder.h"
#include "lower/elementwise.h"
#include "lower/index_map.h"
#include "lower/rule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

namespace mmk {

// One that only moves dimensions is another order of the same tensor.
View KernelToIr::access(const Value *value) {
  std::vector<std::optional<size_t>> places;
  if (!isPermutation(*value, places))
    return gather(value);
  View view = lower(value->operands[0], false);
  if (isScalar(view))
    return whole(view, value, value->type);
  return moved(view, value->operands[0]->shape, places, value->shape.size());
}

/// Creates the extents that indices read above the op whose region reads them.
void KernelToIr::prepareExtents(const Value *value) {
  for (const Index &each : value->indices)
    for (const std::string &dimension : kernel.dimensions)
      if (each->reads(dimension))
        extent({dimension, 0});
}

mlir::Value KernelToIr::index(mlir::OpBuilder &builder, const Rule &rule) {
  return emitRule(builder, loc, rule, [&](const std::string &name) -> mlir::Value {
    if (!name.starts_with('#'))
      return extents.at(name);
    return linalg::IndexOp::create(builder, loc, std::stoul(name.substr(1)));
  });
}

// A tensor whose elements depend on their position alone.
View KernelToIr::position(const Value *value) {
  prepareExtents(value);
  const unsigned rank = value->shape.size();
  mlir::Value init = emptyTensor(value->shape, typeOf(value->type, b.getContext()));
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), mlir::ValueRange(), init, b.getMultiDimIdentityMap(rank),
      llvm::SmallVector(rank, mlir::utils::IteratorType::parallel),
      [&](mlir::OpBuilder &builder, mlir::Location, mlir::ValueRange) {
        mlir::Value number = index(builder, *value->indices[0]);
        if (value->type != ElementType::boolean) {
          number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number);
          number =
              value->type == ElementType::i32
                  ? arith::TruncIOp::create(builder, loc, builder.getI32Type(), number).getResult()
                  : arith::SIToFPOp::create(builder, loc, builder.getF32Type(), number);
        }
        linalg::YieldOp::create(builder, loc, number);
      });
  return viewOf(generic.getResult(0), value->shape);
}

View KernelToIr::random(const Value *value) {
  mlir::Value seed = lower(value->operands[0], false).value;
  const mlir::Type type = tensorType(value->shape, b.getF32Type());
  return viewOf(ir::RandomOp::create(b, loc, type, names(value->shape), seed), value->shape);
}

View KernelToIr::gather(const Value *value) {
  const Value *source = value->operands[0];
  View view = lower(source, false);
  mlir::Value padding =
      value->operands.size() > 1 ? lower(value->operands[1], false).value : mlir::Value();
  if (value->type != ElementType::boolean)
    return window(value, view, padding);
  view = asNumbers(view, source->shape, /*keepsUnits=*/true);
  if (padding)
    padding = numberOfCondition(b, loc, padding);
  return asConditions(window(value, view, padding), value->shape);
}

// The tensor that it reads is in memory, with each dimension that has an index.
View KernelToIr::window(const Value *value, View source, mlir::Value padding) {
  const Value *operand = value->operands[0];
  if (isScalar(source) || ir::isGenerated(source.value.getDefiningOp()) ||
      source.order.size() < operand->shape.size())
    source = whole(source, operand, *elementTypeOf(elementOf(source)));
  std::vector<mlir::Value> symbols;
  std::map<std::string, mlir::AffineExpr> known;
  const auto read = [&](const std::string &name) {
    if (name.starts_with('#'))
      return b.getAffineDimExpr(std::stoul(name.substr(1)));
    mlir::AffineExpr &symbol = known[name];
    if (!symbol) {
      symbol = b.getAffineSymbolExpr(symbols.size());
      symbols.push_back(extent({name, 0}));
    }
    return symbol;
  };
  std::vector<mlir::AffineExpr> indices;
  for (unsigned logical : source.order)
    indices.push_back(affineOf(*value->indices[logical], b.getContext(), read));
  const auto map =
      mlir::AffineMap::get(value->shape.size(), symbols.size(), indices, b.getContext());
  const mlir::Type type = tensorType(value->shape, elementOf(source));
  return viewOf(ir::WindowOp::create(b, loc, type, source.value, map, symbols, names(value->shape),
                                     padding, isGrouped(map, value->shape, source.shape)),
                value->shape);
}

/// Whether an extent is `count` times another: by their numbers, or as the kernel requires.
static bool isMultiple(const Dimension &all, int64_t count, const Dimension &groups,
                       const Kernel &kernel) {
  if (all.isLiteral() || groups.isLiteral())
    return all.isLiteral() && groups.isLiteral() && all.literal == count * groups.literal;
  const std::unique_ptr<Rule> extent = ruleThatReads(all.name),
                              product = ruleOf(Rule::Kind::multiply);
  product->operands.push_back(ruleOfNumber(count));
  product->operands.push_back(ruleThatReads(groups.name));
  return llvm::any_of(kernel.conditions, [&](const Condition &condition) {
    if (condition.rule->kind != Rule::Kind::equal)
      return false;
    const Rule &left = *condition.rule->operands[0], &right = *condition.rule->operands[1];
    return (fixedDifference(left, *extent, kernel) == 0 &&
            fixedDifference(right, *product, kernel) == 0) ||
           (fixedDifference(right, *extent, kernel) == 0 &&
            fixedDifference(left, *product, kernel) == 0);
  });
}

bool KernelToIr::isGrouped(mlir::AffineMap map, const Shape &shape, const Shape &source) {
  bool isAny = false;
  for (auto [expression, dimension] : llvm::zip(map.getResults(), source)) {
    auto quotient = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
    if (!quotient || quotient.getKind() != mlir::AffineExprKind::FloorDiv)
      continue;
    auto position = mlir::dyn_cast<mlir::AffineDimExpr>(quotient.getLHS());
    auto count = mlir::dyn_cast<mlir::AffineConstantExpr>(quotient.getRHS());
    if (!position || !count ||
        !isMultiple(shape[position.getPosition()], count.getValue(), dimension, kernel))
      return false;
    isAny = true;
  }
  return isAny;
}

} // namespace mmk
