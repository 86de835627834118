#include "place/vector_functions.h"

#include "ir/gelu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace mmk {
namespace {

/// Builds operations on f32 at the place of another.
struct Builder {
  explicit Builder(Operation &at) : b(&at), location(at.getLoc()) {}

  Value number(double value) {
    return arith::ConstantOp::create(b, location, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value add(Value x, double y) { return arith::AddFOp::create(b, location, x, number(y)); }
  Value mul(Value x, double y) { return arith::MulFOp::create(b, location, x, number(y)); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, location, x, y); }
  Value atMost(Value x, double y) { return arith::MinimumFOp::create(b, location, x, number(y)); }
  Value exp(Value x) { return math::ExpOp::create(b, location, x); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, location, x, y); }

  OpBuilder b;
  Location location;
};

/// x / (1 + exp(x p)), where `p` is a polynomial of x^2, the highest coefficient first.
Value logistic(Builder &e, Value x, Value square, ArrayRef<double> p) {
  Value sum = e.add(e.mul(square, p[0]), p[1]);
  for (double coefficient : p.drop_front(2))
    sum = e.add(e.mul(sum, square), coefficient);
  return e.div(x, e.add(e.exp(e.mul(x, sum)), 1));
}

/// 1 + tanh(u) = 2 / (1 + exp(-2 u)).
Value geluWithTanh(Builder &e, Value x) {
  const double slope = -2 * std::sqrt(2 / M_PI);
  return logistic(e, x, e.mul(x, x), {slope * 0.044715, slope});
}

/// The logarithm of Phi(x) / Phi(-x) is odd. Fitted for the least error of gelu; beyond x^2 = 30,
/// Phi is 1 or 0 in f32.
Value geluWithErf(Builder &e, Value x, bool fast) {
  static constexpr double few[] = {7.03033977e-4, -7.40112948e-2, -1.59501577};
  static constexpr double many[] = {-3.6278475e-9,  2.67566272e-7,  -7.94814124e-6, 1.10546767e-4,
                                    6.60535011e-5, -7.26682985e-2, -1.59576854};
  return logistic(e, x, e.atMost(e.mul(x, x), 30), fast ? ArrayRef(few) : ArrayRef(many));
}

} // namespace

void chooseFunctionForms(Block &body, bool fast) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    const std::optional<Gelu> gelu = geluOf(&op);
    if (!gelu)
      continue;
    Builder e(op);
    op.getResult(0).replaceAllUsesWith(gelu->isApproximate ? geluWithTanh(e, gelu->x)
                                                           : geluWithErf(e, gelu->x, fast));
  }
}

} // namespace mmk
