#include "place/vector_functions.h"

#include "ir/gelu.h"
#include "passes/arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace mmk {
namespace {

/// x / (1 + exp(x (a x^2 + b))): with one tile beside x, as its formula has.
Value logistic(FloatArithmetic &e, Value x, double a, double b) {
  const Value sum = e.add(e.mul(e.mul(x, x), a), b);
  return e.div(x, e.add(e.exp(e.mul(x, sum)), 1));
}

/// 1 + tanh(u) = 2 / (1 + exp(-2 u)).
Value geluWithTanh(FloatArithmetic &e, Value x) {
  const double slope = -2 * std::sqrt(2 / M_PI);
  return logistic(e, x, slope * 0.044715, slope);
}

/// The logarithm of Phi(x) / Phi(-x) is odd; two terms of it, fitted for the least error of gelu.
Value geluWithErf(FloatArithmetic &e, Value x) { return logistic(e, x, -0.06940182, -1.60031409); }

/// A conversion to an integer rounds to nearest even and turns NaN into 0 by itself.
void simplifyOperand(arith::FPToSIOp conversion) {
  Value x = conversion.getIn();
  if (auto round = x.getDefiningOp<math::RoundEvenOp>())
    x = round.getOperand();
  if (auto select = x.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    Value number = select.getFalseValue();
    if (compare && compare.getPredicate() == arith::CmpFPredicate::UNO &&
        compare.getLhs() == number && compare.getRhs() == number &&
        matchPattern(select.getTrueValue(), m_PosZeroFloat()))
      x = number;
  }
  conversion.getInMutable().assign(x);
}

void selectNumber(Operation &op) {
  OpBuilder b(&op);
  const Type type = op.getResult(0).getType();
  const auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, op.getLoc(), b.getIntegerAttr(type, value));
  };
  Value one = number(isa<arith::ExtUIOp>(op) ? 1 : -1), zero = number(0);
  op.getResult(0).replaceAllUsesWith(
      arith::SelectOp::create(b, op.getLoc(), op.getOperand(0), one, zero));
  op.erase();
}

} // namespace

void simplifyConversions(Block &body) {
  for (auto conversion : body.getOps<arith::FPToSIOp>())
    simplifyOperand(conversion);
}

void selectNumbers(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    if (isa<arith::ExtUIOp, arith::ExtSIOp>(op) && op.getOperand(0).getType().isInteger(1))
      selectNumber(op);
}

void chooseFunctionForms(Block &body, bool fast) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    const std::optional<Gelu> gelu = geluOf(&op);
    if (!gelu || (!gelu->isApproximate && !fast))
      continue;
    FloatArithmetic e(op);
    op.getResult(0).replaceAllUsesWith(gelu->isApproximate ? geluWithTanh(e, gelu->x)
                                                           : geluWithErf(e, gelu->x));
  }
}

} // namespace mmk
