#include "passes/rows/weights.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

arith::SelectOp selectionOf(Value element, TypedAttr identity) {
  auto select = element.getDefiningOp<arith::SelectOp>();
  TypedAttr otherwise;
  const bool isGuard = select && matchPattern(select.getFalseValue(), m_Constant(&otherwise)) &&
                       otherwise == identity;
  return isGuard ? select : arith::SelectOp();
}

namespace {

class WeightsSplitter {
public:
  WeightsSplitter(OpBuilder &b, Location loc, function_ref<bool(Value)> waits,
                  function_ref<bool(Value)> isKept)
      : b(b), loc(loc), waits(waits), isKept(isKept) {}

  WeightsOfRow split(Value weights) {
    found.rest = rest(weights);
    return found;
  }

private:
  bool isOfRow(Value value) { return waits(value) && isKept(value); }

  Value rest(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || (!waits(value) && !isa<arith::SelectOp, arith::TruncFOp>(op)))
      return value;
    if (isa<arith::TruncFOp, arith::ExtFOp>(op))
      return with(op, 0, rest(op->getOperand(0)));
    if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      if (isOfRow(quotient.getRhs()))
        return divide(quotient.getRhs()), rest(quotient.getLhs());
      return waits(quotient.getRhs()) ? value : with(op, 0, rest(quotient.getLhs()));
    }
    if (auto product = dyn_cast<arith::MulFOp>(op)) {
      for (unsigned i : {0, 1})
        if (isOfRow(op->getOperand(i)))
          return multiply(op->getOperand(i)), rest(op->getOperand(1 - i));
      const bool left = waits(product.getLhs()), right = waits(product.getRhs());
      if (left && right)
        return value;
      return with(op, left ? 0 : 1, rest(op->getOperand(left ? 0 : 1)));
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || waits(select.getCondition()))
      return value;
    for (unsigned i : {1, 2})
      if (matchPattern(op->getOperand(i), m_AnyZeroFloat())) {
        found.conditions.push_back({select.getCondition(), /*isTrue=*/i == 2});
        return behindConversion(select, 3 - i, rest(op->getOperand(3 - i)));
      }
    return value;
  }

  /// The selection with another element, before that is converted to the type of the product.
  Value behindConversion(arith::SelectOp select, unsigned number, Value element) {
    auto conversion = element.getDefiningOp<arith::TruncFOp>();
    if (!conversion)
      return with(select, number, element);
    Value wide = conversion.getOperand();
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(wide.getType()));
    Value chosen = arith::SelectOp::create(b, loc, select.getCondition(), number == 1 ? wide : zero,
                                           number == 1 ? zero : wide);
    return arith::TruncFOp::create(b, loc, conversion.getType(), chosen);
  }

  /// The operation with another operand.
  Value with(Operation *op, unsigned number, Value operand) {
    if (op->getOperand(number) == operand)
      return op->getResult(0);
    IRMapping map;
    map.map(op->getOperand(number), operand);
    return b.clone(*op, map)->getResult(0);
  }
  void multiply(Value value) {
    Value &factor = found.factor;
    factor = factor ? arith::MulFOp::create(b, loc, factor, value).getResult() : value;
  }
  void divide(Value value) {
    Value &factor = found.factor;
    if (!factor)
      factor = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
    factor = arith::DivFOp::create(b, loc, factor, value);
  }

  OpBuilder &b;
  Location loc;
  function_ref<bool(Value)> waits, isKept;
  WeightsOfRow found;
};

} // namespace

bool WeightsOfRow::areLeftOutBy(Value element, TypedAttr identity) const {
  arith::SelectOp select = selectionOf(element, identity);
  return select && llvm::any_of(conditions, [&](Condition it) {
           return it.isTrue && it.value == select.getCondition();
         });
}

Value WeightsOfRow::guarded(OpBuilder &b, Location loc, Value ofRow,
                            function_ref<Value(Value, FloatAttr)> maximum) const {
  Value holds;
  for (Condition condition : conditions) {
    Value own = condition.value;
    if (!condition.isTrue)
      own = arith::XOrIOp::create(
          b, loc, own, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)).getResult());
    holds = holds ? arith::AndIOp::create(b, loc, holds, own).getResult() : own;
  }
  // As numbers: no AI core reduces conditions.
  const FloatAttr none = b.getF32FloatAttr(0);
  Value zero = arith::ConstantOp::create(b, loc, none),
        one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1)),
        number = arith::SelectOp::create(b, loc, holds, one, zero), most = maximum(number, none),
        any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, most, zero);
  return arith::SelectOp::create(b, loc, any, ofRow, zero);
}

WeightsOfRow withoutFactors(OpBuilder &b, Location loc, Value weights,
                            function_ref<bool(Value)> waits, function_ref<bool(Value)> isKept) {
  return WeightsSplitter(b, loc, waits, isKept).split(weights);
}

} // namespace mmk
