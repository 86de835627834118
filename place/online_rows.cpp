#include "place/online_rows.h"

#include "passes/split_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace mmk {

using aicore::ReduceKind;

namespace {

class OnlineBuilder {
public:
  explicit OnlineBuilder(RowProgram &program)
      : p(program), block(program.block()), b(program.reductions()[0].operand.getContext()),
        loc(program.reductions()[0].location) {}

  bool run() {
    if (!findSums() || !findWeights())
      return false;
    if (sums.empty() && shiftsOfWeights.empty())
      return true;
    b.setInsertionPointToEnd(&block);
    loc = p.reductions()[maximum].location;
    OnlineRows online;
    online.maximum = maximum;
    online.running = argument();
    const auto takesMaximum = [&](auto &it) { return isMaximum(it.second); };
    isPlain = llvm::all_of(sums, takesMaximum) && llvm::all_of(shiftsOfWeights, takesMaximum);
    isPlain ? startFromLeast(online) : startFromZero(online);
    for (auto [number, shift] : sums)
      addSum(online, number, shift);
    addWeights(online);
    p.setOnline(std::move(online));
    return true;
  }

private:
  /// The sums that wait for one maximum; false where another reduction waits for one.
  bool findSums() {
    for (auto [number, reduction] : llvm::enumerate(p.reductions())) {
      if (p.levelOf(reduction.operand) != 1)
        continue;
      const std::optional<size_t> waits = maximumOf(reduction.operand);
      if (!waits || reduction.kind != ReduceKind::add || reduction.isScan ||
          !reduction.operand.getType().isF32() || (!sums.empty() && *waits != maximum))
        return false;
      maximum = *waits;
      Value shift = shiftOf(reduction.operand);
      if (!shift)
        return false;
      sums.push_back({number, shift});
    }
    return true;
  }

  /// What the maximum takes off in the weights of products; false where some wait for a reduction
  /// in another way.
  bool findWeights() {
    for (auto [number, own] : llvm::enumerate(p.weights())) {
      Value weights = p.outputs()[own.output].element;
      if (p.levelOf(weights) == 0)
        continue;
      const std::optional<size_t> waits = maximumOf(weights);
      const bool isFirst = sums.empty() && shiftsOfWeights.empty();
      if (!waits || (!isFirst && *waits != maximum))
        return false;
      maximum = *waits;
      Value shift = shiftOf(weights);
      if (!shift)
        return false;
      shiftsOfWeights.push_back({number, shift});
    }
    return true;
  }

  bool reads(Value value, Value argument) {
    if (value == argument)
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == &block &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return reads(operand, argument); });
  }

  /// The one reduction that the value reads, a maximum of floats.
  std::optional<size_t> maximumOf(Value value) {
    std::optional<size_t> found;
    for (auto [number, reduction] : llvm::enumerate(p.reductions())) {
      const bool isRead = reads(value, reduction.result) ||
                          (reduction.position && reads(value, reduction.position));
      if (!isRead)
        continue;
      if (found || reduction.kind != ReduceKind::max || !reduction.result.getType().isF32())
        return std::nullopt;
      found = number;
    }
    return found;
  }

  /// Of a value whose dependence on the maximum is a factor exp(-g): g; else null.
  Value shiftOf(Value value) {
    Value largest = p.reductions()[maximum].result;
    const auto depends = [&](Value it) { return reads(it, largest); };
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto exponential = dyn_cast<math::ExpOp>(op)) {
      auto difference = exponential.getOperand().getDefiningOp<arith::SubFOp>();
      if (!difference || depends(difference.getLhs()) || !p.isKept(difference.getRhs()))
        return {};
      return difference.getRhs();
    }
    if (auto product = dyn_cast<arith::MulFOp>(op)) {
      const bool left = depends(product.getLhs()), right = depends(product.getRhs());
      return left == right ? Value() : shiftOf(left ? product.getLhs() : product.getRhs());
    }
    if (auto quotient = dyn_cast<arith::DivFOp>(op))
      return depends(quotient.getRhs()) ? Value() : shiftOf(quotient.getLhs());
    if (isa<arith::TruncFOp, arith::ExtFOp>(op)) // of weights, which are rounded for a product
      return shiftOf(op->getOperand(0));
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || depends(select.getCondition()))
      return {};
    if (matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
      return shiftOf(select.getTrueValue());
    return matchPattern(select.getTrueValue(), m_AnyZeroFloat()) ? shiftOf(select.getFalseValue())
                                                                 : Value();
  }

  bool isMaximum(Value shift) {
    Value largest = p.reductions()[maximum].result;
    return shift == largest || isZeroOverNothing(shift, largest);
  }

  // The maximum so far is a finite number: exp(u) of u = -inf is 0 then, that of inf is inf, and
  // each ratio is at most 1.
  void startFromLeast(OnlineRows &online) {
    Value largest = p.reductions()[maximum].result;
    online.start = number(std::numeric_limits<float>::lowest());
    Value atLeast = arith::MaximumFOp::create(b, loc, largest, online.start);
    online.next =
        arith::MinimumFOp::create(b, loc, atLeast, number(std::numeric_limits<float>::max()));
    for (auto [number, shift] : llvm::concat<std::pair<size_t, Value>>(sums, shiftsOfWeights))
      ofRunning.map(shift, online.running);
  }

  // Of -inf alone: exp(u - 0) is then 0, where exp(-inf + inf) would be NaN.
  void startFromZero(OnlineRows &online) {
    Value largest = p.reductions()[maximum].result;
    online.start = number(0);
    Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest,
                                         number(-std::numeric_limits<float>::infinity()));
    online.next = arith::SelectOp::create(b, loc, isNone, online.start, largest);
  }

  Value argument() { return p.addKeptArgument(b.getF32Type(), loc); }
  Value number(float value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)); }

  /// The value, with another one in place of the maximum.
  Value with(Value value, Value largest, IRMapping &map) {
    map.map(p.reductions()[maximum].result, largest);
    if (Value known = map.lookupOrNull(value))
      return known;
    if (!reads(value, p.reductions()[maximum].result))
      return value;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      map.map(operand, with(operand, largest, map));
    Value copy = merged(b.clone(*op, map));
    map.map(value, copy);
    return copy;
  }

  /// The result of an operation of the block that does the same, if there is one.
  Value merged(Operation *op) {
    for (Operation &other : block)
      if (merges && &other != op &&
          OperationEquivalence::isEquivalentTo(&other, op, OperationEquivalence::IgnoreLocations)) {
        op->erase();
        return other.getResult(0);
      }
    return op->getResult(0);
  }

  /// What a sum with one maximum is multiplied with to be one with another.
  Value quotient(Value shift, Value from, Value to) {
    IRMapping ofFrom, ofTo;
    Value before = with(shift, from, ofFrom), after = with(shift, to, ofTo);
    return merged(math::ExpOp::create(
        b, loc, merged(arith::SubFOp::create(b, loc, before, after).getOperation())));
  }

  size_t ratioOf(OnlineRows &online, Value shift) {
    if (isPlain)
      shift = p.reductions()[maximum].result;
    for (auto [i, known] : llvm::enumerate(online.ratios))
      if (known.shift == shift)
        return i;
    OnlineRows::Ratio ratio;
    ratio.shift = shift;
    ratio.ratio = argument();
    ratio.nextRatio = quotient(shift, online.running, online.next);
    ratio.isBounded = isPlain;
    online.ratios.push_back(ratio);
    return online.ratios.size() - 1;
  }

  /// After the last part: of the maximum that sums have and the result. What a part has computed is
  /// not there where no part was.
  Value lastRatio(OnlineRows &online, Value shift) {
    merges = false;
    Value ratio = quotient(shift, online.running, p.reductions()[maximum].result);
    merges = true;
    return ratio;
  }

  /// exp(u - g) where a condition holds and 0 elsewhere, as the exponential of the u that the
  /// maximum reads: that is -inf where the condition does not hold. `masked`: that u. Another value
  /// stays.
  Value withoutMask(Value value, OnlineRows &online, Value &masked) {
    if (auto conversion = value.getDefiningOp<arith::TruncFOp>()) {
      Value inner = withoutMask(conversion.getOperand(), online, masked);
      if (inner == conversion.getOperand())
        return value;
      IRMapping map;
      map.map(conversion.getOperand(), inner);
      return merged(b.clone(*conversion, map));
    }
    auto select = value.getDefiningOp<arith::SelectOp>();
    auto largest = p.reductions()[maximum].operand.getDefiningOp<arith::SelectOp>();
    if (!isPlain || !select || !largest || select.getCondition() != largest.getCondition() ||
        !matchPattern(select.getFalseValue(), m_AnyZeroFloat()) ||
        !matchPattern(largest.getFalseValue(), m_NegInfFloat()))
      return value;
    auto exponential = select.getTrueValue().getDefiningOp<math::ExpOp>();
    auto difference =
        exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    if (!difference || difference.getLhs() != largest.getTrueValue() ||
        difference.getRhs() != online.running)
      return value;
    masked = largest;
    return merged(math::ExpOp::create(
        b, loc,
        merged(arith::SubFOp::create(b, loc, largest.getResult(), online.running).getOperation())));
  }

  void addSum(OnlineRows &online, size_t number, Value shift) {
    RowReduction &sum = p.reductions()[number];
    loc = sum.location;
    sum.operand = withoutMask(with(sum.operand, online.running, ofRunning), online, sum.masked);
    const OnlineRows::Ratio &ratio = online.ratios[ratioOf(online, shift)];
    OnlineRows::Sum own;
    own.number = number;
    own.sum = argument();
    own.part = argument();
    Value scaled = arith::MulFOp::create(b, loc, own.sum, ratio.ratio);
    if (!ratio.isBounded) { // The ratio of a sum of nothing may be infinite.
      Value isEmpty =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, own.sum, online.start);
      scaled = arith::SelectOp::create(b, loc, isEmpty, online.start, scaled);
    }
    own.next = arith::AddFOp::create(b, loc, scaled, own.part);
    own.result = arith::MulFOp::create(b, loc, own.sum, lastRatio(online, shift));
    online.sums.push_back(own);
  }

  /// The weights of a part are those with the maximum so far; the product is rescaled like a sum.
  void addWeights(OnlineRows &online) {
    std::vector<RowWeights> all = p.weights();
    for (auto [number, shift] : shiftsOfWeights) {
      RowWeights &own = all[number];
      Value &weights = p.outputs()[own.output].element;
      weights = withoutMask(with(weights, online.running, ofRunning), online, own.masked);
      own.ratio = ratioOf(online, shift);
      Value last = lastRatio(online, shift);
      own.factor = own.factor ? arith::MulFOp::create(b, loc, own.factor, last) : last;
    }
    p.setWeights(std::move(all));
  }

  RowProgram &p;
  Block &block;
  OpBuilder b;
  Location loc;
  size_t maximum = 0;
  bool merges = true;   ///< operations that do the same
  bool isPlain = false; ///< the maximum itself is taken off all exponents
  IRMapping ofRunning;  ///< values with the maximum so far in place of the maximum
  /// Numbers, each with what the maximum takes off.
  std::vector<std::pair<size_t, Value>> sums, shiftsOfWeights;
};

} // namespace

bool makeOnline(RowProgram &program) {
  return program.reductions().empty() || OnlineBuilder(program).run();
}

} // namespace mmk
