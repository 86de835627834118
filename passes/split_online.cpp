// Sums of exponentials that wait for their maximum, when the rows are divided: each part has a
// maximum and a sum of its own.
#include "passes/split_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace mmk {
namespace {

bool isOf(Value value, Block &body) { return value.getParentBlock() == &body; }

bool reads(Value value, Value argument) {
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == argument.getParentBlock() &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return reads(operand, argument); });
}

/// Of a value whose dependence on the maximum is a factor exp(-g): g; else null.
Value shiftOf(Value value, Value largest) {
  const auto depends = [&](Value it) { return reads(it, largest); };
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto exponential = dyn_cast<math::ExpOp>(op)) {
    auto difference = exponential.getOperand().getDefiningOp<arith::SubFOp>();
    return difference && !depends(difference.getLhs()) ? difference.getRhs() : Value();
  }
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    const bool left = depends(product.getLhs()), right = depends(product.getRhs());
    return left == right ? Value() : shiftOf(left ? product.getLhs() : product.getRhs(), largest);
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    return depends(quotient.getRhs()) ? Value() : shiftOf(quotient.getLhs(), largest);
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || depends(select.getCondition()) ||
      !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return {};
  return shiftOf(select.getTrueValue(), largest);
}

/// Whether each input that the value is computed from is the same for all reduced elements; these
/// inputs but for `largest`.
bool collectKept(linalg::GenericOp op, Value value, Value largest,
                 SmallVectorImpl<unsigned> &inputs) {
  if (value == largest || !isOf(value, *op.getBody()))
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return llvm::all_of(value.getDefiningOp()->getOperands(),
                        [&](Value operand) { return collectKept(op, operand, largest, inputs); });
  const unsigned number = argument.getArgNumber();
  if (number >= op.getNumDpsInputs())
    return false;
  const AffineMap own = op.getMatchingIndexingMap(op.getDpsInputOperand(number)),
                  result = op.getIndexingMapsArray().back();
  if (own != result)
    return false;
  if (!llvm::is_contained(inputs, number))
    inputs.push_back(number);
  return true;
}

Value number(OpBuilder &b, Location loc, float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

/// The maximum, or 0 where it is -inf.
Value finite(OpBuilder &b, Location loc, Value largest) {
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest,
                                       number(b, loc, -std::numeric_limits<float>::infinity()));
  return arith::SelectOp::create(b, loc, isNone, number(b, loc, 0), largest);
}

Value shiftWith(OpBuilder &b, const OnlineSum &sum, Value largest, ValueRange kept) {
  IRMapping map;
  map.map(sum.argument, largest);
  linalg::GenericOp op = sum.op;
  for (auto [input, element] : llvm::zip(sum.kept, kept))
    map.map(op.getBody()->getArgument(input), element);
  return cloneCone(b, sum.shift, map);
}

Value ratio(OpBuilder &b, Location loc, Value from, Value to) {
  return math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, from, to).getResult());
}

} // namespace

bool isRowMaximum(linalg::GenericOp op) {
  return op && isRowReduction(op) && op.getNumResults() == 1 &&
         isa_and_nonnull<arith::MaximumFOp>(
             op.getBody()->getTerminator()->getOperand(0).getDefiningOp());
}

Value cloneCone(OpBuilder &b, Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !isa<linalg::LinalgOp>(op->getParentOp()))
    return value;
  for (Value operand : op->getOperands())
    map.map(operand, cloneCone(b, operand, map));
  b.clone(*op, map);
  return map.lookup(value);
}

std::optional<OnlineSum> onlineSumOf(linalg::GenericOp op) {
  OnlineSum sum;
  sum.op = op;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto waits = input->get().getDefiningOp<linalg::GenericOp>();
    if (!waits || !isRowReduction(waits))
      continue;
    if (sum.maximum || !isRowMaximum(waits) ||
        op.getMatchingIndexingMap(input) != op.getIndexingMapsArray().back())
      return std::nullopt;
    sum.maximum = input->get();
    sum.argument = op.getMatchingBlockArgument(input);
  }
  const Value element = RowCombination(op).element;
  if (!sum.maximum || op.getNumResults() != 1 || !element || !element.getType().isF32() ||
      !isa_and_nonnull<arith::AddFOp>(op.getBody()->getTerminator()->getOperand(0).getDefiningOp()))
    return std::nullopt;
  sum.shift = shiftOf(element, sum.argument);
  if (!sum.shift || !collectKept(op, sum.shift, sum.argument, sum.kept))
    return std::nullopt;
  return sum;
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

void avoidInfinity(RewriterBase &b, linalg::GenericOp op, const OnlineSum &sum) {
  if (isZeroOverNothing(sum.shift, sum.argument))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  Value argument = op.getBody()->getArgument(sum.argument.getArgNumber());
  Value safe = finite(b, op.getLoc(), argument);
  Operation *select = safe.getDefiningOp();
  Operation *compare = select->getOperand(0).getDefiningOp();
  b.replaceUsesWithIf(argument, safe, [&](OpOperand &use) {
    return use.getOwner() != select && use.getOwner() != compare;
  });
}

/// A maximum that may be taken off: that of the parts before may be -inf.
static Value safeMaximum(OpBuilder &b, Location loc, const OnlineSum &sum, Value largest) {
  return isZeroOverNothing(sum.shift, sum.argument) ? largest : finite(b, loc, largest);
}

void emitRescaledPart(OpBuilder &b, Location loc, const OnlineSum &sum, ValueRange elements) {
  const Value part = elements[0], largest = elements[1], ofAll = elements[2];
  const ValueRange kept = elements.drop_front(3).drop_back(1);
  Value scaled = arith::MulFOp::create(
      b, loc, part,
      ratio(b, loc, shiftWith(b, sum, safeMaximum(b, loc, sum, largest), kept),
            shiftWith(b, sum, safeMaximum(b, loc, sum, ofAll), kept)));
  // The ratio of a sum of nothing may be infinite.
  Value none = number(b, loc, 0);
  Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, part, none);
  scaled = arith::SelectOp::create(b, loc, isEmpty, none, scaled);
  linalg::YieldOp::create(b, loc,
                          arith::AddFOp::create(b, loc, elements.back(), scaled).getResult());
}

Value lastRatio(OpBuilder &b, Location loc, const OnlineSum &sum, ValueRange elements) {
  const Value largest = elements[0];
  const ValueRange kept = elements.drop_front();
  if (isZeroOverNothing(sum.shift, sum.argument))
    return number(b, loc, 1); // with it the parts were computed
  return ratio(b, loc, shiftWith(b, sum, finite(b, loc, largest), kept),
               shiftWith(b, sum, largest, kept));
}

void emitRescaledSum(OpBuilder &b, Location loc, const OnlineSum &sum, ValueRange elements) {
  Value factor = lastRatio(b, loc, sum, elements.drop_front().drop_back());
  linalg::YieldOp::create(b, loc, arith::MulFOp::create(b, loc, elements[0], factor).getResult());
}

LogicalResult refuseOnline(ir::KernelOp kernel, const RowSpace &space, ir::FusionGroupOp group) {
  const std::string key = rowChoiceOf(kernel, space);
  return group.emitError() << key
                           << " = online rescales sums of exponentials while their maximum grows; "
                              "here a reduction waits for another in another way; nearest legal: "
                           << key << " = two_pass";
}

} // namespace mmk
