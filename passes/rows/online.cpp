#include "passes/rows/online.h"

#include "ir/rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace mmk {

bool reads(Value value, Value other) {
  if (value == other)
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == other.getParentBlock() && !isa<ir::RowReduceOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return reads(operand, other); });
}

Value shiftOf(Value value, Value largest, function_ref<bool(Value)> isKept) {
  const auto depends = [&](Value it) { return reads(it, largest); };
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto exponential = dyn_cast<math::ExpOp>(op)) {
    auto difference = exponential.getOperand().getDefiningOp<arith::SubFOp>();
    if (!difference || depends(difference.getLhs()) || !isKept(difference.getRhs()))
      return {};
    return difference.getRhs();
  }
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    const bool left = depends(product.getLhs()), right = depends(product.getRhs());
    return left == right ? Value()
                         : shiftOf(left ? product.getLhs() : product.getRhs(), largest, isKept);
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    return depends(quotient.getRhs()) ? Value() : shiftOf(quotient.getLhs(), largest, isKept);
  if (isa<arith::TruncFOp, arith::ExtFOp>(op)) // of weights, which are rounded for a product
    return shiftOf(op->getOperand(0), largest, isKept);
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || depends(select.getCondition()))
    return {};
  if (matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return shiftOf(select.getTrueValue(), largest, isKept);
  return matchPattern(select.getTrueValue(), m_AnyZeroFloat())
             ? shiftOf(select.getFalseValue(), largest, isKept)
             : Value();
}

bool isZeroOverNothing(Value value, Value largest) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  if (!compare)
    return false;
  // Of NaN each keeps the maximum, which is NaN.
  const auto predicate = compare.getPredicate();
  const bool zeroWhereTrue = predicate == arith::CmpFPredicate::OEQ,
             zeroWhereFalse =
                 predicate == arith::CmpFPredicate::UNE || predicate == arith::CmpFPredicate::UGT;
  const Value zero = zeroWhereTrue ? select.getTrueValue() : select.getFalseValue(),
              kept = zeroWhereTrue ? select.getFalseValue() : select.getTrueValue();
  if (zeroWhereTrue == zeroWhereFalse || kept != largest || !matchPattern(zero, m_AnyZeroFloat()))
    return false;
  if (auto magnitude = compare.getLhs().getDefiningOp<math::AbsFOp>())
    return predicate != arith::CmpFPredicate::UGT && magnitude.getOperand() == largest &&
           matchPattern(compare.getRhs(), m_PosInfFloat());
  return compare.getLhs() == largest && matchPattern(compare.getRhs(), m_NegInfFloat());
}

static Value number(OpBuilder &b, Location loc, float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value finite(OpBuilder &b, Location loc, Value largest) {
  Value zero = number(b, loc, 0);
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest,
                                       number(b, loc, -std::numeric_limits<float>::infinity()));
  return arith::SelectOp::create(b, loc, isNone, zero, largest);
}

Value MaximumChange::with(Value value, Value other, IRMapping &map) {
  map.map(largest, other);
  if (Value known = map.lookupOrNull(value))
    return known;
  if (!reads(value, largest))
    return value;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map.map(operand, with(operand, other, map));
  Value copy = merged(b.clone(*op, map));
  map.map(value, copy);
  return copy;
}

Value MaximumChange::merged(Operation *op) {
  for (Operation &other : *op->getBlock())
    if (merges && &other != op &&
        OperationEquivalence::isEquivalentTo(&other, op, OperationEquivalence::IgnoreLocations)) {
      op->erase();
      return other.getResult(0);
    }
  return op->getResult(0);
}

Value MaximumChange::quotient(Location loc, Value shift, Value from, Value to) {
  IRMapping ofFrom, ofTo;
  Value before = with(shift, from, ofFrom), after = with(shift, to, ofTo);
  return merged(math::ExpOp::create(
      b, loc, merged(arith::SubFOp::create(b, loc, before, after).getOperation())));
}

Value MaximumChange::lastRatio(Location loc, Value shift) {
  if (isZeroOverNothing(shift, largest))
    return number(b, loc, 1); // with it the parts were computed
  return quotient(loc, shift, finite(b, loc, largest), largest);
}

} // namespace mmk
