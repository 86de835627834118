// Own polynomials rather than a vector library: the packaged ones (glibc's libmvec) allow 4 units
// in the last place, exist for some CPUs only, and would be a call in the middle of a fused loop.
// The coefficients come from fit_polynomials.py.
#include "codegen/vector_math.h"

#include <cmath>

using namespace llvm;

namespace mmk {
namespace {

/// Arithmetic on vectors that reads like a formula.
class Formula {
public:
  Formula(Emitter &e, Type *type) : e(e), b(e.b), type(type) {}

  Value *constant(double value) { return ConstantFP::get(type, value); }
  Value *bits(uint32_t value) { return ConstantInt::get(intType(), value); }
  Type *intType() { return type->getWithNewType(b.getInt32Ty()); }
  Value *add(Value *x, Value *y) { return b.CreateFAdd(x, y); }
  Value *sub(Value *x, Value *y) { return b.CreateFSub(x, y); }
  Value *mul(Value *x, Value *y) { return b.CreateFMul(x, y); }
  Value *div(Value *x, Value *y) { return b.CreateFDiv(x, y); }
  /// x * y + z; rounded once where the CPU can.
  Value *fma(Value *x, Value *y, Value *z) {
    if (!e.target.fusedMultiplyAdd)
      return add(mul(x, y), z);
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  }
  Value *abs(Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); }
  Value *withSignOf(Value *magnitude, Value *x) {
    return b.CreateBinaryIntrinsic(Intrinsic::copysign, magnitude, x);
  }
  /// c[0] + c[1] x + c[2] x^2 ...
  Value *polynomial(ArrayRef<float> c, Value *x) {
    Value *sum = constant(c.back());
    for (float coefficient : reverse(c.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }
  Value *select(Value *condition, Value *x, Value *y) { return b.CreateSelect(condition, x, y); }
  Value *less(Value *x, double y) { return b.CreateFCmpOLT(x, constant(y)); }
  Value *greater(Value *x, double y) { return b.CreateFCmpOGT(x, constant(y)); }
  Value *isNan(Value *x) { return b.CreateFCmpUNO(x, x); }
  /// 2^n for integers n within the exponent's range.
  Value *powerOfTwo(Value *n) {
    return b.CreateBitCast(b.CreateShl(b.CreateAdd(n, bits(127)), bits(23)), type);
  }

  Emitter &e;
  IRBuilder<> &b;
  Type *type;
};

// ln 2 in two parts, the first with trailing zeros, so that n * high is exact for |n| < 2^9.
constexpr float ln2High = 0.693359375f, ln2Low = -2.12194440e-4f;

/// e^x = first * 2^second, for x that is a number and no larger than e^x can be.
std::pair<Value *, Value *> expParts(Formula &f, Value *x) {
  Value *n = f.b.CreateUnaryIntrinsic(Intrinsic::roundeven, f.mul(x, f.constant(1.44269504f)));
  Value *r = f.fma(n, f.constant(-ln2High), x);
  r = f.fma(n, f.constant(-ln2Low), r);
  static const float q[] = {4.999999341e-01f, 1.666652011e-01f, 4.166839426e-02f, 8.368780622e-03f,
                            1.381446476e-03f};
  Value *result = f.add(f.fma(f.polynomial(q, r), f.mul(r, r), r), f.constant(1));
  return {result, f.b.CreateFPToSI(n, f.intType())};
}

/// e^x where both x and e^x are far from the ends of their range.
Value *expWithin(Formula &f, Value *x) {
  auto [result, exponent] = expParts(f, x);
  return f.mul(result, f.powerOfTwo(exponent));
}

} // namespace

Value *emitExp(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  // Beyond these every result is infinity or zero; within, 2^n needs two steps at the ends.
  Value *high = f.constant(89.0), *low = f.constant(-104.0);
  Value *cut = f.select(f.greater(x, 89.0), high, f.select(f.less(x, -104.0), low, x));
  cut = f.select(f.isNan(x), f.constant(0), cut);
  auto [result, exponent] = expParts(f, cut);
  Value *half = f.b.CreateAShr(exponent, f.bits(1));
  result = f.mul(result, f.powerOfTwo(half));
  result = f.mul(result, f.powerOfTwo(f.b.CreateSub(exponent, half)));
  return f.select(f.isNan(x), x, result);
}

Value *emitLog(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  // Subnormals are scaled into the normal range first.
  Value *tiny = f.less(x, 1.17549435e-38);
  Value *scaled = f.select(tiny, f.mul(x, f.constant(8388608.0)), x);
  // The mantissa between sqrt(1/2) and sqrt(2): subtract the bits of sqrt(1/2), cut the exponent.
  Value *bits = f.b.CreateBitCast(scaled, f.intType());
  Value *shifted = f.b.CreateSub(bits, f.bits(0x3f3504f3));
  Value *exponent = f.b.CreateAShr(shifted, f.bits(23));
  Value *mantissa = f.b.CreateAdd(f.b.CreateAnd(shifted, f.bits(0x007fffff)), f.bits(0x3f3504f3));
  Value *m = f.sub(f.b.CreateBitCast(mantissa, f.type), f.constant(1));
  Value *n = f.b.CreateSIToFP(exponent, f.type);
  n = f.sub(n, f.select(tiny, f.constant(23), f.constant(0)));
  static const float q[] = {3.333331260e-01f,  -2.500000960e-01f, 2.000211873e-01f,
                            -1.666799567e-01f, 1.421955091e-01f,  -1.240559142e-01f,
                            1.188817461e-01f,  -1.167564130e-01f, 6.746601308e-02f};
  Value *square = f.mul(m, m);
  Value *tail = f.mul(f.mul(f.polynomial(q, m), square), m);
  tail = f.fma(n, f.constant(ln2Low), tail);
  tail = f.fma(square, f.constant(-0.5), tail);
  Value *result = f.fma(n, f.constant(ln2High), f.add(m, tail));
  result = f.select(f.b.CreateFCmpOEQ(x, f.constant(INFINITY)), x, result);
  result = f.select(f.b.CreateFCmpOEQ(x, f.constant(0)), f.constant(-INFINITY), result);
  return f.select(f.b.CreateFCmpULT(x, f.constant(0)), f.constant(NAN), result);
}

Value *emitTanh(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  Value *magnitude = f.abs(x), *square = f.mul(x, x);
  static const float q[] = {-3.333333080e-01f, 1.333320601e-01f,  -5.394676274e-02f,
                            2.170070161e-02f,  -8.177394593e-03f, 2.142958750e-03f};
  Value *small = f.fma(f.mul(f.polynomial(q, square), square), x, x);
  // From 10 on tanh rounds to 1; NaN is put back in the end.
  Value *cut = f.select(f.less(magnitude, 10.0), magnitude, f.constant(10.0));
  Value *power = expWithin(f, f.add(cut, cut));
  Value *large = f.sub(f.constant(1), f.div(f.constant(2), f.add(power, f.constant(1))));
  Value *result = f.select(f.less(magnitude, 0.625), small, f.withSignOf(large, x));
  return f.select(f.isNan(x), x, result);
}

Value *emitErf(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  Value *magnitude = f.abs(x), *square = f.mul(x, x);
  static const float inner[] = {1.283791671e-01f,  -3.761263843e-01f, 1.128378197e-01f,
                                -2.686540004e-02f, 5.220945432e-03f,  -8.482828830e-04f,
                                1.125694780e-04f,  -9.641515776e-06f};
  Value *small = f.fma(f.polynomial(inner, square), x, x);
  static const float outer[] = {-2.020654460e-04f, 1.129649346e+00f,  6.330657355e-01f,
                                1.086065987e-01f,  -2.534892522e-02f, 4.270636272e-03f,
                                -4.603578462e-04f, 2.475423834e-05f,  -2.120858704e-07f};
  // From 4 on erf rounds to 1.
  Value *cut = f.select(f.less(magnitude, 4.0), magnitude, f.constant(4.0)); // also of NaN
  Value *power = f.b.CreateFNeg(f.polynomial(outer, cut));
  Value *large = f.sub(f.constant(1), expWithin(f, power));
  Value *result = f.select(f.less(magnitude, 1.0), small, f.withSignOf(large, x));
  return f.select(f.isNan(x), x, result);
}

} // namespace mmk
