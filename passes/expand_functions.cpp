#include "passes/expand_functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace mmk {
namespace {

/// Operations on f32 that read like a formula.
struct Formula {
  explicit Formula(Operation *at) : b(at), loc(at->getLoc()) {}

  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value add(Value x, double y) { return arith::AddFOp::create(b, loc, x, number(y)); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value min(Value x, double y) { return arith::MinimumFOp::create(b, loc, x, number(y)); }
  Value max(Value x, double y) { return arith::MaximumFOp::create(b, loc, x, number(y)); }
  Value finite(Value x) { return min(x, std::numeric_limits<float>::max()); }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }
  Value log(Value x) { return math::LogOp::create(b, loc, x); }
  /// x where u is 1, else y.
  Value whereOne(Value u, Value x, Value y) {
    Value isOne = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, u, number(1));
    return arith::SelectOp::create(b, loc, isOne, x, y);
  }

  OpBuilder b;
  Location loc;
};

/// With u = 1 + x as rounded, log(u) / (u - 1) is a smooth function of u, and u - 1 is exact, so
/// that the rounding of u does not matter: log(1 + x) = log(u) x / (u - 1). The method is W.
/// Kahan's.
Value log1p(Formula &f, Value x) {
  const Value u = f.finite(f.add(x, 1));
  return f.whereOne(u, x, f.mul(f.log(u), f.div(x, f.add(u, -1))));
}

/// In the same way exp(x) - 1 = (u - 1) x / log(u) with u = exp(x). Below -18 it rounds to -1;
/// above 89 it is infinite, as u is.
Value expm1(Formula &f, Value x) {
  const Value within = f.min(f.max(x, -18), 89), u = f.exp(within),
              ratio = f.div(within, f.log(f.finite(u)));
  return f.whereOne(u, x, f.mul(f.add(u, -1), ratio));
}

} // namespace

void expandFunctions(linalg::GenericOp op) {
  for (Operation &inner : llvm::make_early_inc_range(op.getBody()->without_terminator())) {
    if (!isa<math::Log1pOp, math::ExpM1Op>(inner))
      continue;
    Formula f(&inner);
    const Value x = inner.getOperand(0);
    inner.replaceAllUsesWith(ValueRange{isa<math::Log1pOp>(inner) ? log1p(f, x) : expm1(f, x)});
    inner.erase();
  }
}

} // namespace mmk
