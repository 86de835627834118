#include "place/guard.h"
#include "passes/dimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

int64_t PositionForm::factorOf(int64_t dim) const {
  for (const auto &[each, factor] : positions)
    if (each == dim)
      return factor;
  return 0;
}

namespace {

PositionForm plus(PositionForm x, const PositionForm &y, int64_t scale) {
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

class GuardReader {
public:
  GuardReader(RowProgram &program, Guard &guard) : p(program), guard(guard) {}

  /// Adds the linear parts of a condition; whether these are all of it.
  bool read(Value condition) {
    return forEachComparison(condition, [&](Value large, Value small, bool isStrict) {
      const size_t before = guard.sums.size();
      const std::optional<PositionForm> x = formOf(large), y = formOf(small);
      if (!x || !y) {
        guard.sums.resize(before);
        return false;
      }
      guard.atLeastZero.push_back(plus(*x, *y, -1));
      guard.atLeastZero.back().constant -= isStrict;
      return true;
    });
  }

private:
  std::optional<PositionForm> formOf(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return PositionForm{constant.getSExtValue(), {}, {}, {}};
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
      return formOf(op->getOperand(0));
    for (unsigned i = 0; i < p.inputs().size(); ++i)
      if (p.inputs()[i].element == value)
        return formOfInput(i);
    const bool isOfKernel = value.getParentBlock() != &p.block();
    if (isOfKernel && value.getType().isIntOrIndex())
      return PositionForm{0, {}, {{value, 1}}, {}};
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return std::nullopt;
    const std::optional<PositionForm> x = formOf(op->getOperand(0)), y = formOf(op->getOperand(1));
    if (!x || !y)
      return std::nullopt;
    std::optional<PositionForm> sum;
    if (!isa<arith::MulIOp>(op))
      sum = plus(*x, *y, isa<arith::AddIOp>(op) ? 1 : -1);
    else
      for (auto [form, factor] : {std::pair(*x, *y), {*y, *x}})
        if (factor.positions.empty() && factor.scalars.empty() && factor.inputs.empty())
          sum = plus({}, form, factor.constant);
    if (sum && value.getType().isInteger(32) && !(sum->scalars.empty() && sum->inputs.empty()))
      guard.sums.push_back(*sum);
    return sum;
  }

  /// Of a position, or of another integer that is kept.
  std::optional<PositionForm> formOfInput(unsigned number) {
    const RowInput &input = p.inputs()[number];
    Value tensor = input.tensor;
    tensor = behindViews(tensor);
    if (tensor.getDefiningOp<ir::PositionsOp>() && input.dims[0] >= 0)
      return PositionForm{0, {{input.dims[0], 1}}, {}, {}};
    if (p.isKept(input.element) && input.element.getType().isSignlessInteger())
      return PositionForm{0, {}, {}, {{number, 1}}};
    return std::nullopt;
  }

  RowProgram &p;
  Guard &guard;
};

} // namespace

arith::SelectOp selectionOf(Value element, TypedAttr identity) {
  auto select = element.getDefiningOp<arith::SelectOp>();
  TypedAttr otherwise;
  const bool isGuard = select && matchPattern(select.getFalseValue(), m_Constant(&otherwise)) &&
                       otherwise == identity;
  return isGuard ? select : arith::SelectOp();
}

/// Of the elements that `select` keeps.
static Guard guardOf(RowProgram &program, arith::SelectOp select) {
  Guard guard;
  guard.isExact = GuardReader(program, guard).read(select.getCondition());
  guard.masked = select;
  guard.element = select.getTrueValue();
  return guard;
}

std::optional<Guard> guardOf(RowProgram &program, const RowReduction &reduction) {
  arith::SelectOp select = reduction.masked ? reduction.masked.getDefiningOp<arith::SelectOp>()
                                            : selectionOf(reduction.operand, reduction.identity);
  if (!select)
    return std::nullopt;
  Guard guard = guardOf(program, select);
  return guard.atLeastZero.empty() ? std::nullopt : std::optional(guard);
}

std::optional<GuardedOutput> guardOf(RowProgram &program, const RowOutput &output) {
  GuardedOutput it;
  Value value = output.element;
  if (const RowWeights *weights = program.weightsOf(&output - program.outputs().data());
      weights && weights->masked)
    value = weights->masked;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::FPToSIOp>(op))
      break;
    it.conversions.insert(it.conversions.begin(), op);
    value = op->getOperand(0);
  }
  it.select = value.getDefiningOp<arith::SelectOp>();
  if (!it.select || !matchPattern(it.select.getFalseValue(), m_Constant()))
    return std::nullopt;
  it.guard = guardOf(program, it.select);
  return it.guard.atLeastZero.empty() ? std::nullopt : std::optional(it);
}

} // namespace mmk
