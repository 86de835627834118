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

static std::optional<PositionForm> formOf(Value value, LeafForm leaf) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return PositionForm{constant.getSExtValue(), {}, {}, {}};
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
    return formOf(op->getOperand(0), leaf);
  if (const std::optional<PositionForm> form = leaf(value))
    return form;
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  const std::optional<PositionForm> x = formOf(op->getOperand(0), leaf),
                                    y = formOf(op->getOperand(1), leaf);
  if (!x || !y)
    return std::nullopt;
  if (!isa<arith::MulIOp>(op))
    return plus(*x, *y, isa<arith::AddIOp>(op) ? 1 : -1);
  for (auto [form, factor] : {std::pair(*x, *y), {*y, *x}})
    if (factor.positions.empty() && factor.scalars.empty() && factor.inputs.empty())
      return plus({}, form, factor.constant);
  return std::nullopt;
}

LinearCondition linearConditionOf(Value condition, LeafForm leaf) {
  LinearCondition read;
  read.isExact = forEachComparison(condition, [&](Value large, Value small, bool isStrict) {
    const std::optional<PositionForm> x = formOf(large, leaf), y = formOf(small, leaf);
    if (!x || !y)
      return false;
    read.atLeastZero.push_back(plus(*x, *y, -1));
    read.atLeastZero.back().constant -= isStrict;
    return true;
  });
  return read;
}

} // namespace mmk
