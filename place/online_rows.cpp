#include "place/online_rows.h"

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
    Value shiftOfWeights;
    if (!findSums() || !findWeights(shiftOfWeights))
      return false;
    if (sums.empty() && !shiftOfWeights)
      return true;
    b.setInsertionPointToEnd(&block);
    loc = p.reductions()[maximum].location;
    OnlineRows online;
    online.maximum = maximum;
    Value largest = p.reductions()[maximum].result;
    online.running = argument();
    online.start = number(0);
    // Of -inf alone: exp(u - 0) is then 0, where exp(-inf + inf) would be NaN.
    Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest,
                                         number(-std::numeric_limits<float>::infinity()));
    online.next = arith::SelectOp::create(b, loc, isNone, online.start, largest);
    for (auto [number, shift] : sums)
      addSum(online, number, ratioOf(online, shift));
    if (shiftOfWeights)
      addWeights(online, shiftOfWeights);
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

  /// What the maximum takes off in the weights of a product; false where they wait for a reduction
  /// in another way.
  bool findWeights(Value &shift) {
    if (!p.weights())
      return true;
    Value weights = p.outputs()[p.weights()->output].element;
    if (p.levelOf(weights) == 0)
      return true;
    const std::optional<size_t> waits = maximumOf(weights);
    if (!waits || (!sums.empty() && *waits != maximum))
      return false;
    maximum = *waits;
    shift = shiftOf(weights);
    return shift != nullptr;
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
    return b.clone(*op, map)->getResult(0);
  }
  /// What a sum with one maximum is multiplied with to be one with another; `isBounded`: at most 1,
  /// which it is but for the first maximum, of which the sum is 0.
  Value quotient(Value shift, Value from, Value to, bool isBounded = false) {
    IRMapping ofFrom, ofTo;
    Value before = with(shift, from, ofFrom), after = with(shift, to, ofTo);
    Value exponent = arith::SubFOp::create(b, loc, before, after);
    if (isBounded)
      exponent = arith::MinimumFOp::create(b, loc, exponent, number(0));
    return math::ExpOp::create(b, loc, exponent);
  }

  size_t ratioOf(OnlineRows &online, Value shift) {
    for (auto [i, known] : llvm::enumerate(online.ratios))
      if (known.shift == shift)
        return i;
    Value largest = p.reductions()[maximum].result;
    OnlineRows::Ratio ratio;
    ratio.shift = shift;
    ratio.ratio = argument();
    // A product of weights is large: that it is 0 is not to be asked of each element.
    ratio.isBounded = p.weights() && shift == largest;
    ratio.nextRatio = quotient(shift, online.running, online.next, ratio.isBounded);
    ratio.last = quotient(shift, online.running, largest);
    online.ratios.push_back(ratio);
    return online.ratios.size() - 1;
  }

  void addSum(OnlineRows &online, size_t number, size_t ratio) {
    RowReduction &sum = p.reductions()[number];
    loc = sum.location;
    sum.operand = with(sum.operand, online.running, ofRunning);
    OnlineRows::Sum own;
    own.number = number;
    own.sum = argument();
    own.part = argument();
    Value scaled = arith::MulFOp::create(b, loc, own.sum, online.ratios[ratio].ratio);
    // The ratio of a sum of nothing may be infinite.
    Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, own.sum, online.start);
    scaled = arith::SelectOp::create(b, loc, isEmpty, online.start, scaled);
    own.next = arith::AddFOp::create(b, loc, scaled, own.part);
    own.result = arith::MulFOp::create(b, loc, own.sum, online.ratios[ratio].last);
    online.sums.push_back(own);
  }

  /// The weights of a part are those with the maximum so far; the product is rescaled like a sum.
  void addWeights(OnlineRows &online, Value shift) {
    Value &weights = p.outputs()[p.weights()->output].element;
    weights = with(weights, online.running, ofRunning);
    online.ratioOfWeights = ratioOf(online, shift);
    const OnlineRows::Ratio &ratio = online.ratios[*online.ratioOfWeights];
    RowWeights own = *p.weights();
    own.factor = own.factor ? arith::MulFOp::create(b, loc, own.factor, ratio.last) : ratio.last;
    p.setWeights(own);
  }

  RowProgram &p;
  Block &block;
  OpBuilder b;
  Location loc;
  size_t maximum = 0;
  IRMapping ofRunning; ///< values with the maximum so far in place of the maximum
  std::vector<std::pair<size_t, Value>> sums; ///< numbers, each with what the maximum takes off
};

} // namespace

bool makeOnline(RowProgram &program) {
  return program.reductions().empty() || OnlineBuilder(program).run();
}

} // namespace mmk
