// The functions and conversions of generated code, against the C library in double.
#include "jit/target.h"
#include "tests/unit/compiled.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

namespace mmk {
namespace {

/// Every exponent and sign, 2^13 fractions of each: 4 M floats, infinities and NaNs among them.
Tensor allOverTheRange() {
  constexpr int64_t count = int64_t(1) << 22;
  Tensor x = llvm::cantFail(Tensor::allocate(ElementType::f32, {count}));
  for (int64_t i = 0; i < count; ++i)
    x.as<float>()[i] = std::bit_cast<float>(static_cast<uint32_t>(i) * 1024u + 37u);
  return x;
}

/// Distance in units of the last place that f32 has at the exact value.
double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isinf(got) || std::isinf(static_cast<float>(exact)))
    return std::isnan(exact) == std::isnan(got) &&
                   (std::isnan(exact) || got == static_cast<float>(exact))
               ? 0
               : 1e9;
  int exponent = std::max(std::ilogb(exact == 0 ? 1e-300 : exact), -126);
  return std::fabs(got - exact) / std::ldexp(1.0, exponent - 23);
}

void expectWithin(const char *name, double (*exact)(double), double limit) {
  Compiled kernel(std::string("kernel f(x: f32[N]) -> y: f32[N] { y = ") + name + "(x); }", "host");
  ASSERT_TRUE(kernel.ready());
  std::vector<Tensor> inputs;
  inputs.push_back(allOverTheRange());
  const Tensor &x = inputs[0];
  std::vector<Tensor> y = kernel.run({{"N", x.elements()}}, inputs);
  double worst = 0;
  float where = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    float value = x.as<float>()[i];
    double error = ulps(y[0].as<float>()[i], exact(value));
    if (!(error <= worst)) {
      worst = error;
      where = value;
    }
  }
  EXPECT_LE(worst, limit) << name << " at " << where;
}

TEST(VectorMath, expIsWithinTwoUlp) { expectWithin("exp", std::exp, 2); }
TEST(VectorMath, logIsWithinTwoUlp) { expectWithin("log", std::log, 2); }
TEST(VectorMath, tanhIsWithinTwoUlp) { expectWithin("tanh", std::tanh, 2); }
TEST(VectorMath, erfIsWithinTwoUlp) { expectWithin("erf", std::erf, 2); }
double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2)); }
double geluTanh(double x) {
  const double bent = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * bent));
}

// Far below zero 1 + erf(x) and 1 + tanh(x) cancel; the fused functions do not round them. The
// infinities are those of the formula, and so is the NaN of the one below zero.
TEST(VectorMath, geluIsNearerThanItsFormula) {
  if (!llvm::cantFail(hostTarget()).masks())
    GTEST_SKIP() << "computes the formula";
  Compiled kernel("kernel f(x: f32[N]) -> y: f32[N], z: f32[N] { y = gelu(x); z = gelu_tanh(x); }",
                  "host");
  ASSERT_TRUE(kernel.ready());
  std::vector<Tensor> inputs;
  inputs.push_back(allOverTheRange());
  auto *x = inputs[0].as<float>();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  x[0] = infinity, x[1] = -infinity;
  const std::vector<Tensor> got = kernel.run({{"N", inputs[0].elements()}}, inputs);
  for (auto [i, exact] : {std::pair(0, &gelu), {1, &geluTanh}}) {
    const float *y = got[i].as<float>();
    EXPECT_EQ(y[0], infinity);
    EXPECT_TRUE(std::isnan(y[1]));
    double worst = 0, worstBelow = 0;
    for (int64_t at = 2; at < inputs[0].elements(); ++at) {
      if (std::isnan(x[at]))
        EXPECT_TRUE(std::isnan(y[at]));
      else if (x[at] >= -1)
        worst = std::max(worst, ulps(y[at], exact(x[at])));
      else
        worstBelow = std::max(worstBelow, std::fabs(y[at] - exact(x[at])) / -x[at]);
    }
    EXPECT_LE(worst, 2.5) << i;
    EXPECT_LE(worstBelow, 0.3 * 0x1p-23) << i;
  }
}

/// The largest error of gelu on an AI core from -14 to 14, beyond the rounding of the result.
double errorOfGeluOnCore(const char *function, const char *math, double (*exact)(double)) {
  Compiled kernel(std::string("kernel f(x: f32[N]) -> y: f32[N] { y = ") + function +
                      "(x); check { math = " + math + "; } }",
                  "ascend910b3");
  EXPECT_TRUE(kernel.ready());
  constexpr int64_t count = 8193;
  std::vector<Tensor> inputs;
  inputs.push_back(llvm::cantFail(Tensor::allocate(ElementType::f32, {count})));
  auto *x = inputs[0].as<float>();
  for (int64_t i = 0; i < count; ++i)
    x[i] = 14 * static_cast<float>(i - count / 2) / (count / 2);
  const std::vector<Tensor> got = kernel.run({{"N", count}}, inputs);
  double worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double expected = exact(x[i]);
    worst = std::max(worst,
                     std::fabs(got[0].as<float>()[i] - expected) - 0x1p-24 * std::fabs(expected));
  }
  return worst;
}

// The errors that docs/language.md states.
TEST(VectorMath, geluOnACoreHasItsStatedError) {
  EXPECT_LT(errorOfGeluOnCore("gelu", "exact", gelu), 6e-7);
  EXPECT_LT(errorOfGeluOnCore("gelu_tanh", "exact", geluTanh), 6e-7);
  const double fast = errorOfGeluOnCore("gelu", "fast", gelu);
  EXPECT_LT(fast, 2.8e-4);
  EXPECT_GT(fast, 2.6e-4);
}

// 1 + exp(-|x|) loses precision; the fused function does not round it.
TEST(VectorMath, softplusIsNearerThanItsFormula) {
  Compiled kernel("kernel f(x: f32[N]) -> y: f32[N], z: f32[N] {"
                  " y = softplus(x); z = log(exp(-abs(x)) + 1); }",
                  "host");
  ASSERT_TRUE(kernel.ready());
  std::vector<Tensor> inputs;
  inputs.push_back(allOverTheRange());
  auto *x = inputs[0].as<float>();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  x[0] = infinity, x[1] = -infinity;
  const std::vector<Tensor> got = kernel.run({{"N", inputs[0].elements()}}, inputs);
  const float *y = got[0].as<float>(), *z = got[1].as<float>();
  EXPECT_EQ(y[0], infinity);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(z[0], 0);
  double worst = 0, worstOfTail = 0;
  for (int64_t i = 2; i < inputs[0].elements(); ++i) {
    if (std::isnan(x[i])) {
      EXPECT_TRUE(std::isnan(y[i]) && std::isnan(z[i]));
      continue;
    }
    const double tail = std::log1p(std::exp(-std::fabs(x[i])));
    worst = std::max(worst, ulps(y[i], std::fmax(x[i], 0) + tail));
    worstOfTail = std::max(worstOfTail, ulps(z[i], tail));
  }
  EXPECT_LE(worst, 2.5);
  EXPECT_LE(worstOfTail, 2.5);
}

// Near 0, where the formulas have no digit left, as elsewhere.
TEST(VectorMath, log1pAndExpm1HaveAllDigitsEverywhere) {
  for (const char *machine : {"host", "ascend910b3", "ascend950pr"}) {
    Compiled kernel("kernel f(x: f32[N]) -> y: f32[N], z: f32[N] { y = log1p(x); z = expm1(x); }",
                    machine);
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> inputs;
    inputs.push_back(allOverTheRange());
    auto *x = inputs[0].as<float>();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    x[0] = infinity, x[1] = -infinity, x[2] = 0, x[3] = -0.0f, x[4] = -1;
    const std::vector<Tensor> got = kernel.run({{"N", inputs[0].elements()}}, inputs);
    const float *y = got[0].as<float>(), *z = got[1].as<float>();
    EXPECT_EQ(y[0], infinity);
    EXPECT_EQ(z[0], infinity);
    EXPECT_TRUE(std::isnan(y[1]));
    EXPECT_EQ(z[1], -1);
    EXPECT_TRUE(y[2] == 0 && !std::signbit(y[2]) && z[2] == 0 && !std::signbit(z[2]));
    EXPECT_TRUE(y[3] == 0 && std::signbit(y[3]) && z[3] == 0 && std::signbit(z[3]));
    EXPECT_EQ(y[4], -infinity);
    double worst = 0;
    for (int64_t i = 5; i < inputs[0].elements(); ++i) {
      if (x[i] > -1)
        worst = std::max(worst, ulps(y[i], std::log1p(static_cast<double>(x[i]))));
      if (!std::isnan(x[i]))
        worst = std::max(worst, ulps(z[i], std::expm1(static_cast<double>(x[i]))));
      else
        EXPECT_TRUE(std::isnan(y[i]) && std::isnan(z[i]));
    }
    EXPECT_LE(worst, 2.5) << machine;
  }
}

TEST(VectorMath, sqrtIsExact) { expectWithin("sqrt", std::sqrt, 0.5); }
TEST(VectorMath, roundingFunctionsAreExact) {
  expectWithin("floor", std::floor, 0);
  expectWithin("ceil", std::ceil, 0);
  expectWithin("abs", std::fabs, 0);
}

/// Where the result is a zero or an infinity, its sign counts.
TEST(VectorMath, zerosAndInfinitiesHaveTheirSigns) {
  struct Case {
    const char *name;
    double (*exact)(double);
  };
  constexpr float least = std::numeric_limits<float>::denorm_min();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f, -0.0f, least, -least, 0.5f, -0.5f, infinity, -infinity};
  for (const auto &[name, exact] :
       {Case{"exp", std::exp}, Case{"log", std::log}, Case{"tanh", std::tanh},
        Case{"erf", std::erf}, Case{"sqrt", std::sqrt}, Case{"floor", std::floor},
        Case{"ceil", std::ceil}, Case{"abs", std::fabs}}) {
    Compiled kernel(std::string("kernel f(x: f32[N]) -> y: f32[N] { y = ") + name + "(x); }",
                    "host");
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> inputs;
    inputs.push_back(llvm::cantFail(Tensor::allocate(ElementType::f32, {std::size(values)})));
    std::ranges::copy(values, inputs[0].as<float>());
    std::vector<Tensor> y = kernel.run({{"N", std::ssize(values)}}, inputs);
    for (size_t i = 0; i < std::size(values); ++i) {
      const float expected = static_cast<float>(exact(values[i])), got = y[0].as<float>()[i];
      if (expected == 0 || std::isinf(expected)) {
        EXPECT_EQ(got, expected) << name << " of " << values[i];
        EXPECT_EQ(std::signbit(got), std::signbit(expected)) << name << " of " << values[i];
      }
    }
  }
}

/// f32 to each type: the results of `roundTo`, which the element tests check against first
/// principles.
TEST(Conversion, storesRoundOnceAndSaturate) {
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::i32}) {
    std::string name(spelling(type));
    Compiled kernel("kernel f(x: f32[N]) -> y: " + name + "[N] { y = x; }", "host");
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> inputs;
    inputs.push_back(allOverTheRange());
    std::vector<Tensor> y = kernel.run({{"N", inputs[0].elements()}}, inputs);
    for (int64_t i = 0; i < inputs[0].elements(); ++i) {
      double expected = roundTo(type, inputs[0].as<float>()[i]), got = y[0][i];
      ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
          << name << " of " << inputs[0].as<float>()[i] << ": got " << got << ", expected "
          << expected;
    }
  }
}

/// Every value of each narrow type, widened.
TEST(Conversion, loadsAreExact) {
  for (ElementType type : {ElementType::f16, ElementType::bf16, ElementType::i8}) {
    std::string name(spelling(type));
    Compiled kernel("kernel f(x: " + name + "[N]) -> y: f32[N] { y = x; }", "host");
    ASSERT_TRUE(kernel.ready());
    const int64_t count = int64_t(1) << (8 * sizeInBytes(type));
    std::vector<Tensor> inputs;
    inputs.push_back(llvm::cantFail(Tensor::allocate(type, {count})));
    for (int64_t i = 0; i < count; ++i)
      if (type == ElementType::i8)
        inputs[0].as<uint8_t>()[i] = static_cast<uint8_t>(i);
      else
        inputs[0].as<uint16_t>()[i] = static_cast<uint16_t>(i);
    std::vector<Tensor> y = kernel.run({{"N", count}}, inputs);
    for (int64_t i = 0; i < count; ++i) {
      double expected = inputs[0][i], got = y[0][i];
      ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << name << " " << i;
    }
  }
}

} // namespace
} // namespace mmk
