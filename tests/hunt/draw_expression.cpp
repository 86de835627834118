#include "tests/hunt/draw_expression.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mmk::hunt {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
/// The error of one operation in f32.
constexpr double unitRoundOff = 0x1p-24;
/// A larger value cannot be combined with a value that has an error.
constexpr double largestInexact = 1e4;

Expression literal(double value) { return {fmt::format("{}", value), {}}; }

double finite(double bound) { return bound < 1e38 ? bound : unbounded; }

/// Rounding of a value with an error: the two sides may round to neighbours.
Term rounded(Term value, double unit) {
  if (value.error > 0)
    value.error += 2 * unit * value.bound;
  value.bound = finite(value.bound * (1 + unit));
  return value;
}

bool mayBeInexact(const Term &value) { return value.bound <= largestInexact; }

} // namespace

Term ExpressionDraw::clamped(Term value, double low, double high) {
  value.expression = call("clamp", {value.expression, literal(low), literal(high)});
  value.bound = std::max(std::abs(low), std::abs(high));
  return value;
}

Term ExpressionDraw::smallInteger(Term value) {
  value.expression = call("floor", {value.expression});
  return clamped(std::move(value), -4, 4);
}

Term ExpressionDraw::number() {
  const double value = random_.oneOf({0.0, 1.0, 2.0, 0.5, 0.25, 3.0, 6.0, 0.1, 0.001, 100.0, 1e-7});
  return {literal(value), value, 0};
}

Term ExpressionDraw::draw(int depth) {
  if (depth == 0 || random_.chance(15))
    return random_.chance(15) ? number() : leaf_();
  switch (random_.below(8)) {
  case 0:
  case 1:
  case 2:
    return binary(draw(depth - 1), draw(depth - 1));
  case 3:
    return choice(depth);
  case 4:
    return approximated(draw(depth - 1));
  default:
    return unary(draw(depth - 1));
  }
}

Term ExpressionDraw::over(Term value, int depth) {
  for (int i = 0; i < depth; ++i)
    switch (random_.below(5)) {
    case 0:
    case 1:
      value = binary(std::move(value), draw(1));
      break;
    case 2:
      value = approximated(std::move(value));
      break;
    default:
      value = unary(std::move(value));
    }
  return value;
}

Term ExpressionDraw::choice(int depth) {
  // A comparison of values with errors has no certain result.
  Term left = draw(depth - 1), right = draw(0);
  if (left.error > 0)
    std::swap(left, right);
  if (left.error > 0 || right.error > 0)
    return binary(std::move(left), std::move(right));
  Term yes = draw(depth - 1), no = draw(depth - 1);
  const char *comparison = random_.oneOf({"<", "<=", ">", ">=", "==", "!="});
  Term chosen{call("select", {call(comparison, {left.expression, right.expression}), yes.expression,
                              no.expression}),
              std::max(yes.bound, no.bound), std::max(yes.error, no.error)};
  if (chosen.error > 0 && !mayBeInexact(chosen))
    return clamped(std::move(chosen), -8, 8);
  return chosen;
}

Term ExpressionDraw::unary(Term value) {
  Expression &expression = value.expression;
  const bool isExact = value.error == 0;
  switch (random_.below(isExact ? 17 : 8)) {
  case 0:
    expression = call("-", {expression});
    return value;
  case 1:
    expression = call("abs", {expression});
    return value;
  case 2:
    expression = call("relu", {expression});
    return value;
  case 3: {
    const double alpha = random_.oneOf({-0.5, 0.0, 0.01, 1.0, 2.0});
    expression = call("leaky_relu", {expression, literal(alpha)});
    value.bound = finite(value.bound * std::max(1.0, std::abs(alpha)));
    value.error *= std::max(1.0, std::abs(alpha));
    return rounded(std::move(value), unitRoundOff);
  }
  case 4: {
    const double high = random_.oneOf({0.5, 1.0, 6.0, 127.0});
    return clamped(std::move(value), -high, high);
  }
  case 5:
    expression = call("cast<f16>", {expression});
    value.bound = value.bound > 65504 ? unbounded : value.bound;
    return rounded(std::move(value), 0x1p-11);
  case 6:
    expression = call("cast<bf16>", {expression});
    return rounded(std::move(value), 0x1p-8);
  case 7:
    expression = call("hardtanh", {expression});
    value.bound = 1;
    return value;
  case 8:
    expression = call("sqrt", {expression});
    value.bound = std::max(1.0, value.bound);
    return value;
  case 9:
    expression = call("floor", {expression});
    value.bound += 1;
    return value;
  case 10:
    expression = call("ceil", {expression});
    value.bound += 1;
    return value;
  case 11:
    expression = call("square", {expression});
    value.bound = finite(value.bound * value.bound);
    return value;
  case 12:
    expression = call(random_.oneOf({"reciprocal", "rsqrt"}), {expression});
    value.bound = unbounded;
    return value;
  case 13:
    expression = call("cast<i8>", {expression});
    value.bound = 128;
    return value;
  case 14:
    expression = call("cast<i32>", {expression});
    value.bound = std::min(value.bound, 0x1p31);
    return value;
  case 15:
    expression = call(random_.oneOf({"hardsigmoid", "softsign"}), {expression});
    value.bound = 1;
    return value;
  default:
    expression = call("hardswish", {expression});
    return value;
  }
}

Term ExpressionDraw::binary(Term left, Term right) {
  // A value with an error is only combined where the error remains known.
  for (Term *each : {&left, &right})
    if ((left.error > 0 || right.error > 0) && !mayBeInexact(*each))
      *each = clamped(std::move(*each), -8, 8);
  const bool isExact = left.error == 0 && right.error == 0;
  const char *head = random_.oneOf({"+", "-", "*", "min", "max", "/"});
  if (*head == '/' && !isExact)
    head = "*";
  Term both{call(head, {left.expression, right.expression}), 0, 0};
  if (*head == '*') {
    both.bound = left.bound * right.bound;
    if (!isExact)
      both.error = left.error * right.bound + right.error * left.bound;
  } else if (*head == '/') {
    both.bound = unbounded;
  } else if (*head == '+' || *head == '-') {
    both.bound = left.bound + right.bound;
    both.error = left.error + right.error;
  } else {
    both.bound = std::max(left.bound, right.bound);
    both.error = std::max(left.error, right.error);
  }
  both.bound = std::isnan(both.bound) ? unbounded : finite(both.bound);
  both = rounded(std::move(both), unitRoundOff);
  return both.error > 0 && !mayBeInexact(both) ? clamped(std::move(both), -8, 8) : both;
}

Term ExpressionDraw::approximated(Term value) {
  // Half of the large values are used unscaled, since an approximation that ends at almost 1 fails
  // only there. Results and errors are bounded by those for values within 8: of values without an
  // error, however steep the function is.
  const bool isFar = value.bound > 30 && value.error == 0 && random_.chance(50);
  if (isFar)
    value.bound = 8;
  else if (value.bound > 30)
    value = clamped(std::move(value), -8, 8);
  // Each with its largest slope on its arguments, and its largest value.
  struct Function {
    const char *name;
    double slope, bound;
  };
  const double x = value.bound;
  const Function functions[] = {
      {"tanh", 1, 1},           {"erf", 1.13, 1},  {"sigmoid", 0.25, 1},
      {"silu", 1.1, x},         {"gelu", 1.13, x}, {"gelu_tanh", 1.13, x},
      {"softplus", 1, x + 1},   {"mish", 1.1, x},  {"selu", 1.76, 1.76 * x + 1.76},
      {"log_sigmoid", 1, x + 1}};
  const int64_t which = random_.below(std::size(functions) + 2);
  Term result;
  if (which == std::size(functions)) {
    // An exponential is steep: only of small values.
    if (value.bound > 2 && !isFar)
      value = clamped(std::move(value), -2, 2);
    result = {call("exp", {value.expression}), 7.4, 7.4 * value.error};
  } else if (which > static_cast<int64_t>(std::size(functions))) {
    // Away from zero, where a logarithm is steep.
    Expression argument = call("+", {call("abs", {value.expression}), Expression{"1", {}}});
    result = {call("log", {argument}), std::max(1.0, std::log(1 + x)),
              value.error + unitRoundOff * x};
  } else {
    const Function &function = functions[which];
    result = {call(function.name, {value.expression}), function.bound,
              function.slope * value.error};
  }
  // Each approximation, and each step of the functions of the prelude, is good to a few units.
  result.error += 16 * unitRoundOff * std::max({1.0, x, result.bound});
  return isFar ? clamped(std::move(result), -8, 8) : result;
}

} // namespace mmk::hunt
