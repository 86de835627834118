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

// erf(x) = (c + u) + u q(u) on 32 parts of [0, 3.82), u from the middle of each: what a pair of
// registers can hold of a table. In all half of what exp and two polynomials take, and a lookup and
// a multiply-add less than with the 16 parts of one register.
constexpr double partOfErf = 31.0 / 256;
constexpr float erfOfPart[][32] = {
    {0.000000000e+00f, 1.359747052e-01f, 2.680290043e-01f, 3.925783038e-01f, 5.066621900e-01f,
     6.081472039e-01f, 6.958217621e-01f, 7.693814039e-01f, 8.293191791e-01f, 8.767493367e-01f,
     9.131999016e-01f, 9.404048324e-01f, 9.601237774e-01f, 9.740046859e-01f, 9.834941626e-01f,
     9.897944927e-01f, 9.938567877e-01f, 9.964005947e-01f, 9.979476333e-01f, 9.988612533e-01f,
     9.993852973e-01f, 9.996772408e-01f, 9.998351336e-01f, 9.999181032e-01f, 9.999604225e-01f,
     9.999814034e-01f, 9.999915361e-01f, 9.999962449e-01f, 9.999983907e-01f, 9.999993443e-01f,
     9.999997020e-01f, 9.999998808e-01f},
    {1.283791512e-01f,  1.119534075e-01f,  6.409768015e-02f,  -1.112861838e-02f, -1.075965166e-01f,
     -2.179293036e-01f, -3.344295025e-01f, -4.499460459e-01f, -5.585516691e-01f, -6.559530497e-01f,
     -7.396131754e-01f, -8.086258769e-01f, -8.634124994e-01f, -9.053323269e-01f, -9.362828732e-01f,
     -9.583539963e-01f, -9.735665321e-01f, -9.837071300e-01f, -9.902477264e-01f, -9.943314195e-01f,
     -9.968003035e-01f, -9.982460737e-01f, -9.990664124e-01f, -9.995173812e-01f, -9.997577667e-01f,
     -9.998819232e-01f, -9.999440908e-01f, -9.999743104e-01f, -9.999885559e-01f, -9.999950528e-01f,
     -9.999979138e-01f, -9.999991655e-01f},
    {6.244905308e-06f,  -1.346409023e-01f, -2.577100694e-01f, -3.592492640e-01f, -4.322443902e-01f,
     -4.735478461e-01f, -4.835814834e-01f, -4.662122130e-01f, -4.277072251e-01f, -3.749296963e-01f,
     -3.153151274e-01f, -2.549651861e-01f, -1.984234601e-01f, -1.490644664e-01f, -1.080519184e-01f,
     -7.570593804e-02f, -5.117587745e-02f, -3.349569812e-02f, -2.131969295e-02f, -1.302884798e-02f,
     -7.722141221e-03f, -4.492478911e-03f, -2.463630633e-03f, -1.325856894e-03f, -6.576254382e-04f,
     -3.206960100e-04f, -2.219175803e-04f, -1.106942364e-04f, -7.531548908e-05f, -7.509822171e-05f,
     3.494447083e-05f,  1.594351306e-05f},
    {-3.766423166e-01f, -3.593562841e-01f, -3.127357364e-01f, -2.424889356e-01f, -1.578498036e-01f,
     -6.961802393e-02f, 1.219387166e-02f,  8.000099659e-02f,  1.288824081e-01f,  1.575889438e-01f,
     1.675562710e-01f,  1.625023782e-01f,  1.467113048e-01f,  1.248307899e-01f,  1.008519158e-01f,
     7.773767412e-02f,  5.736601725e-02f,  4.062502459e-02f,  2.766020223e-02f,  1.813484170e-02f,
     1.145962160e-02f,  6.986917462e-03f,  4.113214556e-03f,  2.339483704e-03f,  1.288775355e-03f,
     6.854432868e-04f,  3.526975051e-04f,  1.756237180e-04f,  8.465810242e-05f,  3.951452163e-05f,
     1.786274152e-05f,  7.822202861e-06f},
    {1.364363544e-02f,  6.414425373e-02f,  1.231803149e-01f,  1.657912135e-01f,  1.786092818e-01f,
     1.861506402e-01f,  1.571326405e-01f,  1.110889092e-01f,  9.322004765e-02f,  3.280853108e-02f,
     4.174840637e-03f,  -1.085213292e-02f, -5.475868285e-02f, -3.869093210e-02f, -4.096799716e-02f,
     -2.936595120e-02f, -4.872223735e-02f, -4.242067412e-02f, -6.305907853e-03f, -1.987479441e-02f,
     -1.845807582e-02f, 1.248294604e-03f,  -1.095550973e-02f, -7.710844744e-03f, -1.426641829e-02f,
     -1.093293075e-02f, 1.199818403e-02f,  6.999718957e-03f,  9.780654684e-03f,  1.562154107e-02f,
     -1.161008794e-02f, -5.227112677e-03f}};

/// A CPU that picks lanes of a register by an index in one instruction.
bool hasTables(const Formula &f) {
  return f.e.target.masks() && cast<FixedVectorType>(f.type)->getNumElements() == 16;
}

Value *erfByTable(Formula &f, Value *x) {
  auto lookUp = [&](const float (&table)[32], Value *index) {
    auto half = [&](size_t from) {
      return ConstantDataVector::get(f.b.getContext(), ArrayRef<float>(table).slice(from, 16));
    };
    return f.b.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_ps_512, {},
                               {half(0), index, half(16)});
  };
  Value *magnitude = f.abs(x);
  // Added to 3 * 2^22, a number is rounded to an integer, which is in the last bits.
  Value *unit = f.constant(12582912), *rounded = f.fma(magnitude, f.constant(1 / partOfErf), unit);
  Value *part = f.b.CreateBitCast(rounded, f.intType());
  Value *u = f.fma(f.sub(rounded, unit), f.constant(-partOfErf), magnitude);
  constexpr size_t last = std::size(erfOfPart) - 1;
  Value *q = lookUp(erfOfPart[last], part);
  for (size_t i = last - 1; i > 0; --i)
    q = f.fma(q, u, lookUp(erfOfPart[i], part));
  Value *within = f.fma(q, u, f.add(lookUp(erfOfPart[0], part), u));
  // Where the last part ends erf has become 1, and not the number before: what is left of 1 +
  // erf(x) may be multiplied by any x. A NaN is no greater than that, and stays.
  return f.withSignOf(f.select(f.greater(magnitude, 31.49 * partOfErf), f.constant(1), within), x);
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
