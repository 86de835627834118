#include "passes/expand_functions.h"

#include "passes/arithmetic.h"

#include <limits>

using namespace mlir;

namespace mmk {
namespace {

/// x where u is 1, else y.
Value whereOne(FloatArithmetic &f, Value u, Value x, Value y) {
  Value isOne = arith::CmpFOp::create(f.b, f.loc, arith::CmpFPredicate::OEQ, u, f.number(1));
  return arith::SelectOp::create(f.b, f.loc, isOne, x, y);
}

Value finite(FloatArithmetic &f, Value x) { return f.min(x, std::numeric_limits<float>::max()); }

/// With u = 1 + x as rounded, log(u) / (u - 1) is a smooth function of u, and u - 1 is exact, so
/// that the rounding of u does not matter: log(1 + x) = log(u) x / (u - 1). The method is W.
/// Kahan's.
Value log1p(FloatArithmetic &f, Value x) {
  const Value u = finite(f, f.add(x, 1));
  return whereOne(f, u, x, f.mul(f.log(u), f.div(x, f.add(u, -1))));
}

/// In the same way exp(x) - 1 = (u - 1) x / log(u) with u = exp(x). Below -18 it rounds to -1;
/// above 89 it is infinite, as u is.
Value expm1(FloatArithmetic &f, Value x) {
  const Value within = f.min(f.max(x, -18), 89), u = f.exp(within),
              ratio = f.div(within, f.log(finite(f, u)));
  return whereOne(f, u, x, f.mul(f.add(u, -1), ratio));
}

} // namespace

void expandFunctions(linalg::GenericOp op) {
  for (Operation &inner : llvm::make_early_inc_range(op.getBody()->without_terminator())) {
    if (!isa<math::Log1pOp, math::ExpM1Op>(inner))
      continue;
    FloatArithmetic f(inner);
    const Value x = inner.getOperand(0);
    inner.replaceAllUsesWith(ValueRange{isa<math::Log1pOp>(inner) ? log1p(f, x) : expm1(f, x)});
    inner.erase();
  }
}

} // namespace mmk
