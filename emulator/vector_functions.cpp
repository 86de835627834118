#include "emulator/vector_functions.h"

#include "codegen/vector_math.h"

using namespace llvm;

namespace mmk {
namespace {

class Instructions {
public:
  Instructions(Emitter &e, Value *x) : e(e), b(e.b), x(x) {}

  Value *constant(double value) { return ConstantFP::get(x->getType(), value); }
  Value *add(Value *left, Value *right) { return b.CreateFAdd(left, right); }
  Value *mul(Value *left, Value *right) { return b.CreateFMul(left, right); }
  Value *negated(Value *value) { return mul(value, constant(-1)); }
  Value *exp(Value *value) { return emitExp(e, value); }
  Value *magnitude() { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); }
  Value *atMost(Value *value, double most) {
    return b.CreateBinaryIntrinsic(Intrinsic::minimum, value, constant(most));
  }
  /// c[0] + c[1] y + c[2] y^2 ..., each product and each sum rounded.
  Value *polynomial(ArrayRef<float> c, Value *y) {
    Value *sum = constant(c.back());
    for (float coefficient : reverse(c.drop_back()))
      sum = add(mul(sum, y), constant(coefficient));
    return sum;
  }
  /// `large` with the sign of x; where |x| is less than `limit`, `small`.
  Value *withSign(Value *large, Value *small, double limit) {
    Value *isNegative = b.CreateFCmpOLT(x, constant(0));
    large = b.CreateSelect(isNegative, negated(large), large);
    return b.CreateSelect(b.CreateFCmpOLT(magnitude(), constant(limit)), small, large);
  }

  Emitter &e;
  IRBuilder<> &b;
  Value *x;
};

} // namespace

Value *emitErfOfInstructions(Emitter &e, Value *x) {
  Instructions f(e, x);
  static const float inner[] = {1.283791671e-01f,  -3.761263843e-01f, 1.128378197e-01f,
                                -2.686540004e-02f, 5.220945432e-03f,  -8.482828830e-04f,
                                1.125694780e-04f,  -9.641515776e-06f};
  static const float outer[] = {-2.020654460e-04f, 1.129649346e+00f,  6.330657355e-01f,
                                1.086065987e-01f,  -2.534892522e-02f, 4.270636272e-03f,
                                -4.603578462e-04f, 2.475423834e-05f,  -2.120858704e-07f};
  Value *small = f.add(f.mul(f.polynomial(inner, f.mul(x, x)), x), x);
  // From 4 on erf rounds to 1.
  Value *power = f.exp(f.negated(f.polynomial(outer, f.atMost(f.magnitude(), 4))));
  return f.withSign(f.add(f.negated(power), f.constant(1)), small, 1);
}

Value *emitTanhOfInstructions(Emitter &e, Value *x) {
  Instructions f(e, x);
  static const float odd[] = {-3.333333080e-01f, 1.333320601e-01f,  -5.394676274e-02f,
                              2.170070161e-02f,  -8.177394593e-03f, 2.142958750e-03f};
  Value *square = f.mul(x, x);
  Value *small = f.add(f.mul(f.mul(f.polynomial(odd, square), square), x), x);
  // From 10 on tanh rounds to 1.
  Value *within = f.atMost(f.magnitude(), 10);
  Value *quotient =
      f.b.CreateFDiv(f.constant(2), f.add(f.exp(f.add(within, within)), f.constant(1)));
  return f.withSign(f.add(f.negated(quotient), f.constant(1)), small, 0.625);
}

} // namespace mmk
