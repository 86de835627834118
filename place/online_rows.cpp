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
    if (!findSums())
      return false;
    if (sums.empty())
      return true;
    b.setInsertionPointToEnd(&block);
    loc = p.reductions()[maximum].location;
    OnlineRows online;
    online.maximum = maximum;
    Value largest = p.reductions()[maximum].result;
    online.running = argument();
    online.ratio = argument();
    online.start = number(0);
    // Of -inf alone: exp(u - 0) is then 0, where exp(-inf + inf) would be NaN.
    Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest,
                                         number(-std::numeric_limits<float>::infinity()));
    online.next = arith::SelectOp::create(b, loc, isNone, online.start, largest);
    online.nextRatio = quotient(online.running, online.next);
    for (size_t number : sums)
      addSum(online, number, largest);
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
      if (!shift || (subtracted && shift != subtracted))
        return false;
      subtracted = shift;
      sums.push_back(number);
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
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || depends(select.getCondition()) ||
        !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
      return {};
    return shiftOf(select.getTrueValue());
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
  Value shiftWith(Value largest) {
    IRMapping map;
    return with(subtracted, largest, map);
  }

  /// What a sum with one maximum is multiplied with to be one with another.
  Value quotient(Value from, Value to) {
    return math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, shiftWith(from), shiftWith(to)).getResult());
  }

  void addSum(OnlineRows &online, size_t number, Value largest) {
    RowReduction &sum = p.reductions()[number];
    loc = sum.location;
    IRMapping map;
    sum.operand = with(sum.operand, online.running, map);
    OnlineRows::Sum own;
    own.number = number;
    own.sum = argument();
    own.part = argument();
    Value scaled = arith::MulFOp::create(b, loc, own.sum, online.ratio);
    // The ratio of a sum of nothing may be infinite.
    Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, own.sum, online.start);
    scaled = arith::SelectOp::create(b, loc, isEmpty, online.start, scaled);
    own.next = arith::AddFOp::create(b, loc, scaled, own.part);
    own.result = arith::MulFOp::create(b, loc, own.sum, quotient(online.running, largest));
    online.sums.push_back(own);
  }

  RowProgram &p;
  Block &block;
  OpBuilder b;
  Location loc;
  size_t maximum = 0;
  std::vector<size_t> sums;
  Value subtracted; ///< g
};

} // namespace

bool makeOnline(RowProgram &program) {
  return program.reductions().empty() || OnlineBuilder(program).run();
}

} // namespace mmk
