#include "passes/conditions/form.h"

#include "passes/compare_integers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

int64_t PositionForm::factorOf(int64_t dim) const {
  for (const auto &[each, factor] : positions)
    if (each == dim)
      return factor;
  return 0;
}

static PositionForm plus(PositionForm x, const PositionForm &y, int64_t scale) {
  const auto add = [&](auto &terms, const auto &key, int64_t factor) {
    for (auto &[each, sum] : terms)
      if (each == key) {
        sum += factor;
        return;
      }
    terms.push_back({key, factor});
  };
  x.constant += scale * y.constant;
  for (const auto &[dim, factor] : y.positions)
    add(x.positions, dim, scale * factor);
  for (const auto &[scalar, factor] : y.scalars)
    add(x.scalars, scalar, scale * factor);
  for (const auto &[input, factor] : y.inputs)
    add(x.inputs, input, scale * factor);
  return x;
}

namespace {

class LinearReader {
public:
  LinearReader(LeafForm leaf, LinearCondition &read) : leaf(leaf), read(read) {}

  void run(Value condition) {
    read.isExact = forEachComparison(condition, [&](Value large, Value small, bool isStrict) {
      const size_t before = read.sums.size();
      const std::optional<PositionForm> x = formOf(large), y = formOf(small);
      if (!x || !y) {
        read.sums.resize(before);
        return false;
      }
      read.atLeastZero.push_back(plus(*x, *y, -1));
      read.atLeastZero.back().constant -= isStrict;
      return true;
    });
  }

private:
  static bool isConstant(const PositionForm &form) {
    return form.positions.empty() && form.scalars.empty() && form.inputs.empty();
  }

  std::optional<PositionForm> formOf(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return PositionForm{constant.getSExtValue(), {}, {}, {}};
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
      return formOf(op->getOperand(0));
    if (const std::optional<PositionForm> form = leaf(value))
      return form;
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return std::nullopt;
    const std::optional<PositionForm> x = formOf(op->getOperand(0)), y = formOf(op->getOperand(1));
    if (!x || !y || (isa<arith::MulIOp>(op) && !isConstant(*x) && !isConstant(*y)))
      return std::nullopt;
    const PositionForm sum = !isa<arith::MulIOp>(op) ? plus(*x, *y, isa<arith::AddIOp>(op) ? 1 : -1)
                             : isConstant(*y)        ? plus({}, *x, y->constant)
                                                     : plus({}, *y, x->constant);
    // Positions alone are far from the ends of 32 bits.
    if (value.getType().isInteger(32) && !(sum.scalars.empty() && sum.inputs.empty()))
      read.sums.push_back(sum);
    return sum;
  }

  LeafForm leaf;
  LinearCondition &read;
};

} // namespace

LinearCondition linearConditionOf(Value condition, LeafForm leaf) {
  LinearCondition read;
  LinearReader(leaf, read).run(condition);
  return read;
}

} // namespace mmk
