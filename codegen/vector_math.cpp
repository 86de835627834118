// Own polynomials rather than a vector library: the packaged ones (glibc's libmvec) allow 4 units
// in the last place, exist for some CPUs only, and would be a call in the middle of a fused loop.
// The coefficients come from fit_polynomials.py.
#include "codegen/vector_math.h"

#include "llvm/IR/IntrinsicsX86.h"

#include <cmath>
#include <iterator>

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

// erf(x) = (c + u) + u q(u) on 16 parts of [0, 3.93), u from the middle of each: what one register
// can hold of a table. In all half of what exp and two polynomials take.
constexpr double partOfErf = 65.0 / 256;
constexpr float erfOfPart[][16] = {
    {0.000000000e+00f, 2.804630101e-01f, 5.273385048e-01f, 7.186238170e-01f, 8.490860462e-01f,
     9.274081588e-01f, 9.687963724e-01f, 9.880474806e-01f, 9.959291816e-01f, 9.987694621e-01f,
     9.996703267e-01f, 9.999217987e-01f, 9.999836087e-01f, 9.999969602e-01f, 9.999995232e-01f,
     9.999999404e-01f},
    {1.283791661e-01f, 5.792975426e-02f, -1.281093359e-01f, -3.683584332e-01f, -5.977622271e-01f,
     -7.748362422e-01f, -8.892056346e-01f, -9.520774484e-01f, -9.817792773e-01f, -9.939103127e-01f,
     -9.982109070e-01f, -9.995380044e-01f, -9.998950958e-01f, -9.999790788e-01f, -9.999963045e-01f,
     -9.999994636e-01f},
    {2.411698574e-07f, -2.686109543e-01f, -4.427621663e-01f, -4.811336398e-01f, -4.085290432e-01f,
     -2.858608961e-01f, -1.688003242e-01f, -8.516594023e-02f, -3.701051697e-02f, -1.392942481e-02f,
     -4.552450031e-03f, -1.289004576e-03f, -3.259677032e-04f, -6.978096644e-05f, -2.342489461e-05f,
     -8.228217666e-06f},
    {-3.761403561e-01f, -3.071976304e-01f, -1.407614201e-01f, 3.377080336e-02f, 1.425202638e-01f,
     1.668759882e-01f, 1.344935596e-01f, 8.495047688e-02f, 4.404572025e-02f, 1.917008869e-02f,
     7.092797197e-03f, 2.248655306e-03f, 6.141108461e-04f, 1.450216514e-04f, 2.969520938e-05f,
     5.283509381e-06f},
    {2.697963791e-04f, 1.276493520e-01f, 1.828414649e-01f, 1.471302807e-01f, 6.428835541e-02f,
     -9.770190343e-03f, -4.513863102e-02f, -4.752794653e-02f, -3.242335841e-02f, -1.647696085e-02f,
     -6.921744440e-03f, -2.821548609e-03f, -4.427963868e-04f, -1.764680928e-04f, 5.928741884e-04f,
     3.663311945e-04f},
    {1.110342592e-01f, 8.004681766e-02f, 6.497979164e-03f, -5.431851000e-02f, -6.816820055e-02f,
     -4.450120032e-02f, -1.225276571e-02f, 7.825873792e-03f, 1.303678099e-02f, 1.002535690e-02f,
     5.495553371e-03f, 2.367499983e-03f, 8.345524548e-04f, 2.455315553e-04f, 6.105541252e-05f,
     1.293878177e-05f}};

/// A CPU that picks lanes of a register by an index in one instruction.
bool hasTables(const Formula &f) {
  return f.e.target.masks() && cast<FixedVectorType>(f.type)->getNumElements() == 16;
}

Value *erfByTable(Formula &f, Value *x) {
  auto lookUp = [&](const float (&table)[16], Value *index) {
    Value *constants = ConstantDataVector::get(f.b.getContext(), ArrayRef<float>(table));
    return f.b.CreateIntrinsic(Intrinsic::x86_avx512_permvar_sf_512, {}, {constants, index});
  };
  Value *magnitude = f.abs(x);
  // Where the last part ends erf has become 1. A NaN is no greater than that, and goes on.
  const double end = 15.49 * partOfErf;
  Value *cut = f.select(f.greater(magnitude, end), f.constant(end), magnitude);
  // Added to 3 * 2^22, a number is rounded to an integer, which is in the last bits.
  Value *unit = f.constant(12582912), *rounded = f.fma(cut, f.constant(1 / partOfErf), unit);
  Value *part = f.b.CreateBitCast(rounded, f.intType());
  Value *u = f.fma(f.sub(rounded, unit), f.constant(-partOfErf), cut);
  constexpr size_t last = std::size(erfOfPart) - 1;
  Value *q = lookUp(erfOfPart[last], part);
  for (size_t i = last - 1; i > 0; --i)
    q = f.fma(q, u, lookUp(erfOfPart[i], part));
  return f.withSignOf(f.fma(q, u, f.add(lookUp(erfOfPart[0], part), u)), x);
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
  // For the sum of `small` only the sign of a zero is not yet that of x.
  Value *result = f.withSignOf(f.select(f.less(magnitude, 0.625), small, large), x);
  return f.select(f.isNan(x), x, result);
}

Value *emitErf(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  if (hasTables(f))
    return erfByTable(f, x);
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
