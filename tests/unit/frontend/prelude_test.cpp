// The functions of the prelude: against their definitions, for large arguments, for NaN.
#include "tests/unit/checked.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace mmk {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

float propagate(float a, float b, float chosen) {
  return std::isnan(a) ? a : std::isnan(b) ? b : chosen;
}

float apply(const Value &value, const std::function<float(size_t)> &x) {
  using enum Operation;
  switch (value.operation) {
  case negate:
    return -x(0);
  case Operation::abs:
    return std::fabs(x(0));
  case Operation::exp:
    return std::exp(x(0));
  case Operation::log:
    return std::log(x(0));
  case Operation::log1p:
    return std::log1p(x(0));
  case Operation::expm1:
    return std::expm1(x(0));
  case Operation::sqrt:
    return std::sqrt(x(0));
  case Operation::tanh:
    return std::tanh(x(0));
  case Operation::erf:
    return std::erf(x(0));
  case add:
    return x(0) + x(1);
  case subtract:
    return x(0) - x(1);
  case multiply:
    return x(0) * x(1);
  case divide:
    return x(0) / x(1);
  case minimum:
    return propagate(x(0), x(1), std::min(x(0), x(1)));
  case maximum:
    return propagate(x(0), x(1), std::max(x(0), x(1)));
  case greater:
    return x(0) > x(1);
  case greaterEqual:
    return x(0) >= x(1);
  case select:
    return x(0) != 0 ? x(1) : x(2);
  default:
    ADD_FAILURE() << "not expected in the prelude: operation " << static_cast<int>(value.operation);
    return 0;
  }
}

/// One element of `c = expression`, in f32, for given parameters.
double evaluate(const std::string &expression, double x, double alpha = 0) {
  const Checked checked("kernel k(x: f32[N], alpha: f32) -> c: f32[N] { c = " + expression + "; }");
  EXPECT_TRUE(checked.isSound()) << checked.messages();
  std::map<const Value *, float> known;
  for (const auto &value : checked.kernel().values)
    known[value.get()] = static_cast<float>(
        value->operation == Operation::parameter ? (value->parameter == 0 ? x : alpha)
        : value->operation == Operation::constant
            ? value->constant
            : apply(*value, [&](size_t i) { return known.at(value->operands[i]); }));
  return known.at(checked.kernel().results[0].value);
}

struct Entry {
  const char *call;
  std::function<double(double)> expected;
  double atMinus1000, at1000;
};

const std::vector<Entry> &entries() {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  static const std::vector<Entry> all = {
      {"square(x)", [](double x) { return x * x; }, 1e6, 1e6},
      {"reciprocal(x)", [](double x) { return 1 / x; }, -1e-3, 1e-3},
      {"rsqrt(x * x)", [](double x) { return 1 / std::fabs(x); }, 1e-3, 1e-3},
      {"clamp(x, -1, 2)", [](double x) { return std::fmin(std::fmax(x, -1), 2); }, -1, 2},
      {"relu(x)", [](double x) { return std::fmax(x, 0); }, 0, 1000},
      {"relu6(x)", [](double x) { return std::fmin(std::fmax(x, 0), 6); }, 0, 6},
      {"leaky_relu(x, 0.1)", [](double x) { return x >= 0 ? x : 0.1 * x; }, -100, 1000},
      {"elu(x, 2)", [](double x) { return x > 0 ? x : 2 * std::expm1(x); }, -2, 1000},
      {"selu(x)",
       [](double x) {
         return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
       },
       -1.7580993408473766, 1050.7009873554805},
      {"sigmoid(x)", sigmoid, 0, 1},
      {"silu(x)", [=](double x) { return x * sigmoid(x); }, 0, 1000},
      {"swish(x, 2)", [=](double x) { return x * sigmoid(2 * x); }, 0, 1000},
      {"celu(x, 2)", [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }, -2, 1000},
      {"softplus(x)", softplus, 0, 1000},
      {"log_sigmoid(x)", [=](double x) { return -softplus(-x); }, -1000, 0},
      {"binary_cross_entropy_with_logits(x, 0.25)", [=](double x) { return softplus(x) - x / 4; },
       250, 750},
      {"binary_cross_entropy(clamp(x / 50 + 0.5, 0.05, 0.95), 0.25)",
       [](double x) {
         const double p = std::fmin(std::fmax(x / 50 + 0.5, 0.05), 0.95);
         return -0.25 * std::log(p) - 0.75 * std::log1p(-p);
       },
       -0.25 * std::log(0.05) - 0.75 * std::log(0.95),
       -0.25 * std::log(0.95) - 0.75 * std::log(0.05)},
      {"mish(x)", [=](double x) { return x * std::tanh(softplus(x)); }, 0, 1000},
      {"softsign(x)", [](double x) { return x / (1 + std::fabs(x)); }, -1000. / 1001, 1000. / 1001},
      {"gelu(x)", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2)); }, 0, 1000},
      {"gelu_tanh(x)",
       [](double x) {
         return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
       },
       0, 1000},
      {"hardsigmoid(x)", [](double x) { return std::fmin(std::fmax(x + 3, 0), 6) / 6; }, 0, 1},
      {"hardswish(x)", [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }, 0, 1000},
      {"hardtanh(x)", [](double x) { return std::fmin(std::fmax(x, -1), 1); }, -1, 1},
  };
  return all;
}

TEST(Prelude, ComputesWhatItsNamesSay) {
  for (const Entry &entry : entries())
    for (double x : {-20.0, -3.5, -1.0, -0.25, 0.25, 1.0, 2.5, 8.0, 20.0})
      EXPECT_NEAR(evaluate(entry.call, x), entry.expected(x), 1e-6 * (1 + std::fabs(x)) + 2e-6)
          << entry.call << " at " << x;
}

TEST(Prelude, IsRightForLargeArguments) {
  for (const Entry &entry : entries()) {
    const double tolerance = 1e-6;
    EXPECT_NEAR(evaluate(entry.call, -1000), entry.atMinus1000,
                tolerance * (1 + std::fabs(entry.atMinus1000)))
        << entry.call;
    EXPECT_NEAR(evaluate(entry.call, 1000), entry.at1000, tolerance * (1 + std::fabs(entry.at1000)))
        << entry.call;
  }
}

TEST(Prelude, KeepsNan) {
  for (const Entry &entry : entries())
    EXPECT_TRUE(std::isnan(evaluate(entry.call, nan))) << entry.call;
  EXPECT_TRUE(std::isnan(evaluate("clamp(1, x, 2)", nan)));
  EXPECT_TRUE(std::isnan(evaluate("clamp(1, 0, x)", nan)));
}

TEST(Prelude, LeakyReluIsExactForEveryAlpha) {
  for (double alpha : {-0.5, 0.0, 0.001, 1.0, 2.0})
    for (double x : {-3.0, -1e-30, 0.0, 1e-30, 3.0})
      EXPECT_EQ(evaluate("leaky_relu(x, alpha)", x, alpha),
                x >= 0 ? static_cast<float>(x) : static_cast<float>(alpha) * static_cast<float>(x))
          << alpha << " " << x;
  EXPECT_EQ(evaluate("leaky_relu(x, alpha)", inf, 0.5), inf);
  EXPECT_EQ(evaluate("leaky_relu(x, alpha)", -inf, 0.5), -inf);
}

} // namespace
} // namespace mmk
