// Polynomials of our own rather than a vector library: the packaged ones (glibc's libmvec) allow 4
// units in the last place, exist for some CPUs only, and would be a call in the middle of a fused
// loop. The coefficients come from fit_polynomials.py.
#include "codegen/vector_math.h"

#include "codegen/parts.h"

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
  /// min(x, most). A NaN is not greater, and stays.
  Value *within(Value *x, double most) { return select(greater(x, most), constant(most), x); }
  Value *isNan(Value *x) { return b.CreateFCmpUNO(x, x); }
  /// An intrinsic of AVX-512 on all 16 lanes, with the current rounding mode.
  Value *inAllLanes(Intrinsic::ID id, SmallVector<Value *> operands) {
    operands.append({b.getInt16(0xffff), b.getInt32(4)});
    return b.CreateIntrinsic(id, {}, operands);
  }
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

/// e^x = e^first * 2^second, second a whole number.
std::pair<Value *, Value *> expRest(Formula &f, Value *x) {
  Value *n = f.b.CreateUnaryIntrinsic(Intrinsic::roundeven, f.mul(x, f.constant(1.44269504f)));
  Value *r = f.fma(n, f.constant(-ln2High), x);
  return {f.fma(n, f.constant(-ln2Low), r), n};
}

/// e^r = 1 + r + r^2 of this, of r
constexpr float expTail[] = {4.999999341e-01f, 1.666652011e-01f, 4.166839426e-02f, 8.368780622e-03f,
                             1.381446476e-03f};

/// e^x = first * 2^second, for x that is no NaN and whose e^x is finite.
std::pair<Value *, Value *> expParts(Formula &f, Value *x) {
  auto [r, n] = expRest(f, x);
  Value *result = f.add(f.fma(f.polynomial(expTail, r), f.mul(r, r), r), f.constant(1));
  return {result, f.b.CreateFPToSI(n, f.intType())};
}

/// e^x where both x and e^x are far from the ends of their range.
Value *expWithin(Formula &f, Value *x) {
  auto [result, exponent] = expParts(f, x);
  return f.mul(result, f.powerOfTwo(exponent));
}

// erf(x) = c + (u + u q(u)) on 32 intervals of a width of 1/8, u from the middle of each: a pair of
// registers holds a table of 32. It takes half of the time of exp and two polynomials, and a lookup
// and a multiply-add less than with the 16 intervals of one register. From the middle of the last
// interval on erf is 1 within a unit of the last place.
constexpr float erfOfPart[][32] = {
    {0.000000000e+00f, 1.403162032e-01f, 2.763263881e-01f, 4.041168988e-01f, 5.204998851e-01f,
     6.232408881e-01f, 7.111556530e-01f, 7.840750813e-01f, 8.427007794e-01f, 8.883882165e-01f,
     9.229001403e-01f, 9.481700659e-01f, 9.661051631e-01f, 9.784437418e-01f, 9.866716862e-01f,
     9.919900298e-01f, 9.953222871e-01f, 9.973459840e-01f, 9.985373020e-01f, 9.992170334e-01f,
     9.995930195e-01f, 9.997946024e-01f, 9.998993874e-01f, 9.999521375e-01f, 9.999778867e-01f,
     9.999901056e-01f, 9.999957085e-01f, 9.999982119e-01f, 9.999992847e-01f, 9.999997020e-01f,
     9.999998808e-01f, 1.000000000e+00f},
    {1.283791512e-01f,  1.108848378e-01f,  6.001377478e-02f,  -1.964721642e-02f, -1.212174073e-01f,
     -2.365004569e-01f, -3.570689261e-01f, -4.752549529e-01f, -5.848925114e-01f, -6.817260385e-01f,
     -7.634788752e-01f, -8.296402097e-01f, -8.810697198e-01f, -9.195277691e-01f, -9.472249746e-01f,
     -9.664541483e-01f, -9.793330431e-01f, -9.876591563e-01f, -9.928576946e-01f, -9.959934950e-01f,
     -9.978216887e-01f, -9.988521338e-01f, -9.994137287e-01f, -9.997097850e-01f, -9.998607635e-01f,
     -9.999352694e-01f, -9.999707937e-01f, -9.999872446e-01f, -9.999945760e-01f, -9.999977946e-01f,
     -9.999991059e-01f, -9.999781251e-01f},
    {6.867691809e-06f,  -1.388545930e-01f, -2.650001347e-01f, -3.676150143e-01f, -4.394038022e-01f,
     -4.771952927e-01f, -4.822313190e-01f, -4.591844082e-01f, -4.150915742e-01f, -3.580372036e-01f,
     -2.956691682e-01f, -2.342356890e-01f, -1.784275025e-01f, -1.307846457e-01f, -9.238573164e-02f,
     -6.284338981e-02f, -4.137700796e-02f, -2.624966763e-02f, -1.610654406e-02f, -9.458864108e-03f,
     -5.388704129e-03f, -2.969352528e-03f, -1.630710787e-03f, -8.190297522e-04f, -3.715471248e-04f,
     -2.070841583e-04f, -1.176347578e-04f, -9.801591659e-05f, -7.529691356e-05f, -2.192752618e-06f,
     7.799464584e-06f,  1.716231229e-03f},
    {-3.766760528e-01f, -3.582351804e-01f, -3.087884784e-01f, -2.347346991e-01f, -1.464579254e-01f,
     -5.575679988e-02f, 2.664869837e-02f,  9.273909032e-02f,  1.381550878e-01f,  1.622753590e-01f,
     1.673990488e-01f,  1.578461677e-01f,  1.387192756e-01f,  1.148354784e-01f,  9.016990662e-02f,
     6.746517867e-02f,  4.824925587e-02f,  3.306332976e-02f,  2.174617350e-02f,  1.374748722e-02f,
     8.362933062e-03f,  4.900024273e-03f,  2.765942598e-03f,  1.506060944e-03f,  7.930283900e-04f,
     4.011885321e-04f,  1.970338926e-04f,  9.322557162e-05f,  4.261789218e-05f,  1.882902870e-05f,
     8.041786714e-06f,  4.391936585e-02f},
    {1.408235542e-02f,  6.693534553e-02f,  1.260031611e-01f,  1.625551730e-01f,  1.857123673e-01f,
     1.780085862e-01f,  1.579214036e-01f,  1.194001064e-01f,  6.604118645e-02f,  2.367898636e-02f,
     -2.305949572e-03f, -3.226267174e-02f, -3.673981875e-02f, -4.531664029e-02f, -4.074747488e-02f,
     -5.597038567e-02f, -2.384931035e-02f, -2.024110220e-02f, -1.013756823e-02f, -2.732945047e-02f,
     -2.301504090e-02f, -1.650289632e-02f, 1.363495248e-03f,  -5.762462039e-03f, -1.284745708e-02f,
     6.269834121e-04f,  5.527635571e-03f,  1.389954798e-02f,  1.433674619e-02f,  -1.522867824e-03f,
     -2.850186080e-03f, 3.510725498e-01f}};

/// Whether one instruction permutes lanes by a vector of indices.
bool hasTables(const Formula &f) {
  return f.e.target.masks() && cast<FixedVectorType>(f.type)->getNumElements() == 16;
}

Value *lookUp(Formula &f, const float (&table)[32], Value *index) {
  auto half = [&](size_t from) {
    return ConstantDataVector::get(f.b.getContext(), ArrayRef<float>(table).slice(from, 16));
  };
  return f.b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_ps_512, {},
                             {half(0), index, half(16)});
}

/// c[0] + c[1] u + c[2] u^2 ..., each from its table
Value *polynomialByTable(Formula &f, ArrayRef<float[32]> c, Value *index, Value *u) {
  Value *sum = lookUp(f, c.back(), index);
  for (size_t i = c.size() - 1; i-- > 0;)
    sum = f.fma(sum, u, lookUp(f, c[i], index));
  return sum;
}

/// Splits a number from 0 to `last` into the index of the nearest multiple of 1/8, and the
/// difference. Larger numbers are clamped to `last`, where u is 0 and 1 - erf(x) exactly 0, and not
/// to the number before: the result may be multiplied by any x.
struct Eighth {
  static constexpr double last = 31.0 / 8;

  Eighth(Formula &f, Value *x) {
    // Added to 3 * 2^19, whose last place is 1/8, a number is rounded to a part, which is in the
    // last bits.
    Value *unit = f.constant(1572864), *rounded = f.add(x, unit);
    index = f.b.CreateBitCast(rounded, f.intType());
    u = f.sub(x, f.sub(rounded, unit));
  }

  Value *index, *u;
};

Value *erfByTable(Formula &f, Value *x) {
  Eighth part(f, f.within(f.abs(x), Eighth::last));
  Value *q = polynomialByTable(f, ArrayRef(erfOfPart).drop_front(), part.index, part.u);
  // The interval's own value enters only the last sum, which is rounded.
  return f.withSignOf(f.add(f.fma(q, part.u, part.u), lookUp(f, erfOfPart[0], part.index)), x);
}

Value *tanhByTable(Formula &f, Value *x) {
  const double end = tanhInParts[0][31];
  Value *within = f.within(f.abs(x), end);
  // Added to 3 * 2^22 a number is rounded to an integer, which is in the last bits.
  Value *part = f.fma(within, f.constant(31 / end), f.constant(12582912));
  part = f.b.CreateBitCast(part, f.intType());
  Value *u = f.sub(within, lookUp(f, tanhInParts[0], part));
  return f.withSignOf(polynomialByTable(f, ArrayRef(tanhInParts).drop_front(), part, u), x);
}

/// e^x with an instruction that multiplies by a power of two, and rounds correctly at the ends of
/// the range.
Value *expByScaling(Formula &f, Value *x) {
  // Beyond these every result is infinity or zero; NaN stays.
  Value *cut = f.within(x, 89.0);
  cut = f.select(f.less(cut, -104.0), f.constant(-104.0), cut);
  auto [r, n] = expRest(f, cut);
  Value *result = f.fma(f.fma(f.polynomial(expTail, r), r, f.constant(1)), r, f.constant(1));
  return f.inAllLanes(Intrinsic::x86_avx512_mask_scalef_ps_512, {result, n, result});
}

/// The logarithm of (1 + m) * 2^n, for 1 + m from sqrt(1/2) to 3/2.
Value *logOfParts(Formula &f, Value *m, Value *n) {
  static const float q[] = {3.333347172e-01f,  -2.500109298e-01f, 1.999133726e-01f,
                            -1.660766911e-01f, 1.438978461e-01f,  -1.347973555e-01f,
                            1.169041818e-01f,  -5.568120841e-02f};
  Value *square = f.mul(m, m);
  Value *tail = f.mul(f.mul(f.polynomial(q, m), square), m);
  tail = f.fma(n, f.constant(ln2Low), tail);
  tail = f.fma(square, f.constant(-0.5), tail);
  return f.fma(n, f.constant(ln2High), f.add(m, tail));
}

} // namespace

Value *emitExp(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  if (hasTables(f))
    return expByScaling(f, x);
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

/// log(u), and with a rest log(u + rest), of a rest that is far smaller than u.
static Value *emitLogOf(Formula &f, Value *u, Value *rest) {
  if (hasTables(f)) {
    // The mantissa from 3/4 to 3/2, and the exponent that is left.
    Value *mantissa =
        f.inAllLanes(Intrinsic::x86_avx512_mask_getmant_ps_512, {u, f.b.getInt32(0b0011), u});
    auto exponentOf = [&](Value *y) {
      return f.inAllLanes(Intrinsic::x86_avx512_mask_getexp_ps_512, {y, y});
    };
    Value *n = f.sub(exponentOf(u), exponentOf(mantissa)), *m = f.sub(mantissa, f.constant(1));
    if (rest)
      m = f.add(m, f.inAllLanes(Intrinsic::x86_avx512_mask_scalef_ps_512,
                                {rest, f.b.CreateFNeg(n), rest}));
    // By the kind of u, four bits for each, from the right: of NaN 2, itself; of zero 4, -infinity;
    // of what is below 3, NaN; of infinity 5, itself.
    return f.inAllLanes(Intrinsic::x86_avx512_mask_fixupimm_ps_512,
                        {logOfParts(f, m, n), u, f.bits(0x03530422), f.b.getInt32(0)});
  }
  // Subnormals are scaled into the normal range first.
  Value *tiny = f.less(u, 1.17549435e-38);
  Value *scaled = f.select(tiny, f.mul(u, f.constant(8388608.0)), u);
  // The mantissa between sqrt(1/2) and sqrt(2): subtract the bits of sqrt(1/2), cut the exponent.
  Value *bits = f.b.CreateBitCast(scaled, f.intType());
  Value *shifted = f.b.CreateSub(bits, f.bits(0x3f3504f3));
  Value *exponent = f.b.CreateAShr(shifted, f.bits(23));
  Value *mantissa = f.b.CreateAdd(f.b.CreateAnd(shifted, f.bits(0x007fffff)), f.bits(0x3f3504f3));
  Value *m = f.sub(f.b.CreateBitCast(mantissa, f.type), f.constant(1));
  if (rest) { // of a large u it is 0, or nothing beside it
    Value *within = f.b.CreateBinaryIntrinsic(Intrinsic::smin, exponent, f.bits(100));
    m = f.add(m, f.mul(rest, f.powerOfTwo(f.b.CreateNeg(within))));
  }
  Value *n = f.b.CreateSIToFP(exponent, f.type);
  n = f.sub(n, f.select(tiny, f.constant(23), f.constant(0)));
  Value *result = logOfParts(f, m, n);
  result = f.select(f.b.CreateFCmpOEQ(u, f.constant(INFINITY)), u, result);
  result = f.select(f.b.CreateFCmpOEQ(u, f.constant(0)), f.constant(-INFINITY), result);
  return f.select(f.b.CreateFCmpULT(u, f.constant(0)), f.constant(NAN), result);
}

Value *emitLog(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  return emitLogOf(f, x, nullptr);
}

// What rounding takes from 1 + x goes into the mantissa. Of a zero, the sign is that of x.
Value *emitLog1p(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  Value *u = f.add(x, f.constant(1)), *rest = f.sub(x, f.sub(u, f.constant(1)));
  Value *result = emitLogOf(f, u, rest);
  return f.select(f.b.CreateFCmpOEQ(x, f.constant(0)), x, result);
}

// 2^n e^r - 1 = 2 (h (e^r - 1) + h - 1/2), with h = 2^(n-1), which is finite also where the result
// just is. Below -18 the result rounds to -1.
Value *emitExpM1(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  Value *cut = f.within(x, 89.0);
  cut = f.select(f.less(cut, -18.0), f.constant(-18.0), cut);
  cut = f.select(f.isNan(x), f.constant(0), cut);
  auto [r, n] = expRest(f, cut);
  Value *power = f.fma(f.polynomial(expTail, r), f.mul(r, r), r);
  Value *h = f.powerOfTwo(f.b.CreateSub(f.b.CreateFPToSI(n, f.intType()), f.bits(1)));
  Value *half = f.fma(power, h, f.sub(h, f.constant(0.5)));
  Value *result = f.add(half, half);
  // A result below the smallest normal number is x, and so is one of NaN, and a zero with its sign.
  Value *isSmall = f.b.CreateFCmpULT(f.abs(x), f.constant(0x1p-25));
  return f.select(isSmall, x, result);
}

Value *emitTanh(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  if (hasTables(f))
    return tanhByTable(f, x);
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

Value *emitGelu(Emitter &e, Value *x, bool isApproximate) {
  Formula f(e, x->getType());
  if (!hasTables(f))
    return nullptr;
  // min(|x|, last); for NaN `last`.
  Value *scaled = f.mul(x, f.constant(geluScale));
  Eighth part(f, f.inAllLanes(Intrinsic::x86_avx512_mask_range_ps_512,
                              {scaled, f.constant(Eighth::last), f.b.getInt32(0b1010), scaled}));
  ArrayRef<float[32]> table = isApproximate ? ArrayRef(geluTanhInParts) : ArrayRef(geluInParts);
  Value *rest = polynomialByTable(f, table, part.index, part.u);
  // max(x, 0) as the factor of a product requires it: -0 for negative numbers, and NaN for
  // -infinity. By the kind of x, four bits for each: 0 leaves it, 3 is NaN, and 7 is -0.
  Value *ramp = f.inAllLanes(Intrinsic::x86_avx512_mask_fixupimm_ps_512,
                             {x, x, f.bits(0x07030000), f.b.getInt32(0)});
  return f.sub(ramp, rest);
}

// log(1 + e) = e + e^2 q(e), for e from 0 to 1.
Value *emitSoftplusTail(Emitter &e, Value *x) {
  Formula f(e, x->getType());
  static const float q[] = {-4.999993276e-01f, 3.333051116e-01f,  -2.495858570e-01f,
                            1.969539154e-01f,  -1.535537009e-01f, 1.068051088e-01f,
                            -5.766400225e-02f, 2.020434915e-02f,  -3.318420165e-03f};
  Value *power = emitExp(e, f.b.CreateFNeg(f.abs(x)));
  return f.fma(f.polynomial(q, power), f.mul(power, power), power);
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
