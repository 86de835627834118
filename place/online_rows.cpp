#include "place/online_rows.h"

#include "passes/rows/online.h"

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

  Value largest() { return p.reductions()[maximum].result; }
  Value shiftOf(Value value) {
    return mmk::shiftOf(value, largest(), [&](Value it) { return p.isKept(it); });
  }

  bool isMaximum(Value shift) { return shift == largest() || isZeroOverNothing(shift, largest()); }

  // The maximum so far is a finite number: exp(u) of u = -inf is 0 then, that of inf is inf, and
  // each ratio is at most 1.
  void startFromLeast(OnlineRows &online) {
    online.start = number(std::numeric_limits<float>::lowest());
    Value atLeast = arith::MaximumFOp::create(b, loc, largest(), online.start);
    online.next =
        arith::MinimumFOp::create(b, loc, atLeast, number(std::numeric_limits<float>::max()));
    for (auto [number, shift] : llvm::concat<std::pair<size_t, Value>>(sums, shiftsOfWeights))
      ofRunning.map(shift, online.running);
  }

  void startFromZero(OnlineRows &online) {
    online.next = finite(b, loc, largest());
    online.start = online.next.getDefiningOp<arith::SelectOp>().getTrueValue();
  }

  Value argument() { return p.addKeptArgument(b.getF32Type(), loc); }
  Value number(float value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)); }

  size_t ratioOf(OnlineRows &online, Value shift) {
    if (isPlain)
      shift = largest();
    for (auto [i, known] : llvm::enumerate(online.ratios))
      if (known.shift == shift)
        return i;
    OnlineRows::Ratio ratio;
    ratio.shift = shift;
    ratio.ratio = argument();
    ratio.nextRatio = MaximumChange(b, largest()).quotient(loc, shift, online.running, online.next);
    ratio.isBounded = isPlain;
    online.ratios.push_back(ratio);
    return online.ratios.size() - 1;
  }

  /// After the last part: of the maximum that sums have and the result. What a part has computed is
  /// not there where no part was.
  Value lastRatio(OnlineRows &online, Value shift) {
    MaximumChange change(b, largest());
    change.merges = false;
    return change.quotient(loc, shift, online.running, largest());
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
      return MaximumChange(b, largest()).merged(b.clone(*conversion, map));
    }
    auto select = value.getDefiningOp<arith::SelectOp>();
    auto most = p.reductions()[maximum].operand.getDefiningOp<arith::SelectOp>();
    if (!isPlain || !select || !most || select.getCondition() != most.getCondition() ||
        !matchPattern(select.getFalseValue(), m_AnyZeroFloat()) ||
        !matchPattern(most.getFalseValue(), m_NegInfFloat()))
      return value;
    auto exponential = select.getTrueValue().getDefiningOp<math::ExpOp>();
    auto difference =
        exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    if (!difference || difference.getLhs() != most.getTrueValue() ||
        difference.getRhs() != online.running)
      return value;
    masked = most;
    MaximumChange change(b, largest());
    return change.merged(math::ExpOp::create(
        b, loc,
        change.merged(
            arith::SubFOp::create(b, loc, most.getResult(), online.running).getOperation())));
  }

  /// The value with the maximum so far.
  Value ofPart(Value value, const OnlineRows &online) {
    return MaximumChange(b, largest()).with(value, online.running, ofRunning);
  }

  void addSum(OnlineRows &online, size_t number, Value shift) {
    RowReduction &sum = p.reductions()[number];
    loc = sum.location;
    sum.operand = withoutMask(ofPart(sum.operand, online), online, sum.masked);
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
      weights = withoutMask(ofPart(weights, online), online, own.masked);
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
