#include "reference/range.h"

#include "reference/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace mmk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();

/// One unit in the last place of a number just below a power of two is 2^-23 of it.
constexpr double f32Ulp = 0x1p-23;
/// A function may flush a result below it to zero.
constexpr double smallestNormal = 0x1p-126;
constexpr double smallestSubnormal = 0x1p-149;

/// Units in the last place by which an implementation may differ from the correctly rounded result.
/// Functions: codegen/vector_math.h, and half a unit of the reference. Quotients and square roots
/// are one unit apart where a reciprocal is multiplied.
double ulpsOf(Operation operation) {
  switch (operation) {
  case Operation::exp:
  case Operation::log:
  case Operation::tanh:
  case Operation::erf:
    return 3;
  case Operation::log1p:
  case Operation::expm1:
    return 6;
  case Operation::sqrt:
  case Operation::divide:
    return 1;
  default:
    return 0;
  }
}

double ulpError(double x, double ulps) {
  return std::isinf(x) ? 0 : ulps * std::fabs(x) * f32Ulp + smallestNormal;
}

bool isComparison(Operation operation) {
  return operation >= Operation::equal && operation <= Operation::greaterEqual;
}

/// Includes both ranges; has the value of the first.
Range hull(const Range &x, const Range &y) {
  if (!y.hasNumbers())
    return {x.value, x.low, x.high, x.mayBeNaN || y.mayBeNaN};
  if (!x.hasNumbers())
    return {x.value, y.low, y.high, x.mayBeNaN || y.mayBeNaN};
  return {x.value, std::min(x.low, y.low), std::max(x.high, y.high), x.mayBeNaN || y.mayBeNaN};
}

/// Whether a comparison can hold, and whether it can fail, for some numbers of two ranges.
std::pair<bool, bool> outcomes(Operation operation, const Range &x, const Range &y) {
  const bool isSame = x.low == x.high && y.low == y.high && x.low == y.low;
  switch (operation) {
  case Operation::equal:
    return {x.low <= y.high && y.low <= x.high, !isSame};
  case Operation::notEqual:
    return {!isSame, x.low <= y.high && y.low <= x.high};
  case Operation::less:
    return {x.low < y.high, x.high >= y.low};
  case Operation::lessEqual:
    return {x.low <= y.high, x.high > y.low};
  case Operation::greater:
    return {x.high > y.low, x.low <= y.high};
  default:
    return {x.high >= y.low, x.low < y.high};
  }
}

Range compareRanges(const Value &value, const Range *operands) {
  const double values[2] = {operands[0].value, operands[1].value};
  const double *rows[2] = {&values[0], &values[1]};
  double result = 0;
  applyElementwise(value, rows, &result, 1);
  bool canHold = false, canFail = false;
  if (operands[0].hasNumbers() && operands[1].hasNumbers())
    std::tie(canHold, canFail) = outcomes(value.operation, operands[0], operands[1]);
  if (operands[0].mayBeNaN || operands[1].mayBeNaN)
    (value.operation == Operation::notEqual ? canHold : canFail) = true;
  return {result, canFail ? 0.0 : 1.0, canHold ? 1.0 : 0.0, false};
}

Range selectRange(const Range *operands) {
  const Range &condition = operands[0];
  const Range &chosen = operands[condition.value != 0 ? 1 : 2];
  const Range &other = operands[condition.value != 0 ? 2 : 1];
  return condition.low == condition.high ? chosen : hull(chosen, other);
}

/// Results for the value, and for the ends in all combinations: an operation that is monotonic in
/// each operand has its extremes there.
Range atCorners(const Value &value, const Range *operands) {
  double left[5], right[5], results[5];
  const size_t given = value.operands.size();
  const int64_t count = given == 1 ? 3 : 5;
  left[0] = operands[0].value;
  right[0] = given == 1 ? 0 : operands[1].value;
  for (int64_t i = 1; i < count; ++i) {
    left[i] = i % 2 ? operands[0].low : operands[0].high;
    right[i] = given == 1 ? 0 : i < 3 ? operands[1].low : operands[1].high;
  }
  const double *rows[2] = {left, right};
  applyElementwise(value, rows, results, count);
  Range range{results[0], infinity, -infinity, false};
  for (int64_t i = 1; i < count; ++i) {
    if (std::isnan(results[i]))
      return Range::anything(results[0]);
    range.low = std::min(range.low, results[i]);
    range.high = std::max(range.high, results[i]);
  }
  return range;
}

Range absolute(const Range &x) {
  if (x.low >= 0)
    return {std::fabs(x.value), x.low, x.high, false};
  if (x.high <= 0)
    return {std::fabs(x.value), -x.high, -x.low, false};
  return {std::fabs(x.value), 0, std::max(-x.low, x.high), false};
}

bool mayBeZero(const Range &x) { return x.low <= 0 && x.high >= 0; }
bool mayBeInfinite(const Range &x) { return x.low == -infinity || x.high == infinity; }

/// Of numbers alone.
Range numberRange(const Value &value, const Range *operands) {
  if (value.operation == Operation::abs)
    return absolute(operands[0]);
  // Zero may lie between the ends, whose products have no NaN then.
  if (value.operation == Operation::multiply &&
      ((mayBeInfinite(operands[0]) && mayBeZero(operands[1])) ||
       (mayBeInfinite(operands[1]) && mayBeZero(operands[0]))))
    return Range::anything(static_cast<float>(operands[0].value * operands[1].value));
  if (value.operation == Operation::divide && operands[1].low != operands[1].high &&
      mayBeZero(operands[1])) {
    const double x = operands[0].value, y = operands[1].value;
    return Range::anything(static_cast<float>(x / y));
  }
  return atCorners(value, operands);
}

/// An operation on i32, of which an operand may have several values. Beyond 32 bits it may have
/// any.
Range integerRange(const Value &value, const Range *operands) {
  const Range &x = operands[0], &y = operands[value.operands.size() - 1];
  const Range all = {0, -0x1p31, 0x1p31 - 1, false};
  Range range = all;
  if (value.operation == Operation::remainder) {
    const double most = std::max(std::fabs(y.low), std::fabs(y.high));
    range.low = y.low >= 0 ? 0 : -most;
    range.high = y.high <= 0 ? 0 : most;
  } else if (value.operation == Operation::abs) {
    range = absolute(x);
  } else if (value.operation == Operation::negate) {
    range.low = -x.high, range.high = -x.low;
  } else if (value.operation == Operation::add) {
    range.low = x.low + y.low, range.high = x.high + y.high;
  } else if (value.operation == Operation::subtract) {
    range.low = x.low - y.high, range.high = x.high - y.low;
  } else if (value.operation == Operation::multiply) {
    const auto [low, high] =
        std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
    range.low = low, range.high = high;
  } else if (value.operation == Operation::minimum) {
    range.low = std::min(x.low, y.low), range.high = std::min(x.high, y.high);
  } else {
    range.low = std::max(x.low, y.low), range.high = std::max(x.high, y.high);
  }
  if (range.low < all.low || range.high > all.high)
    range = all;
  const double values[2] = {x.value, y.value};
  const double *rows[2] = {&values[0], &values[1]};
  applyElementwise(value, rows, &range.value, 1);
  return range;
}

/// Of operands that all have one value.
Range ofExact(const Value &value, const Range *operands) {
  double values[2], result = 0;
  const double *rows[2] = {&values[0], &values[1]};
  for (size_t i = 0; i < value.operands.size(); ++i)
    values[i] = operands[i].value;
  applyElementwise(value, rows, &result, 1);
  return Range::exactly(result);
}

/// What is added to an operation on values that are not exact, because several operations may be
/// evaluated as one function: its intermediate results are not rounded, not even to a subnormal.
/// 1 + erf(x), 1 + tanh(x) and log(1 + exp(x)) are evaluated so, to 2.5 units in the last place of
/// the result (codegen/vector_math.h), without the rounding of the sum.
double fusedError(const Value &value, const Range &range) {
  const bool isSum = value.operation == Operation::add || value.operation == Operation::subtract;
  const bool isFused = isSum && std::ranges::any_of(value.operands, [](const Value *operand) {
                         return operand->operation == Operation::erf ||
                                operand->operation == Operation::tanh ||
                                operand->operation == Operation::exp;
                       });
  const double size = std::max(std::fabs(range.low), std::fabs(range.high));
  if (value.operation == Operation::multiply)
    return smallestSubnormal;
  return isFused && size < infinity ? 3 * size * f32Ulp : 0;
}

} // namespace

Range Range::exactly(double value) {
  if (std::isnan(value))
    return {value, infinity, -infinity, true};
  return {value, value, value, false};
}

Range Range::anything(double value) { return {value, -infinity, infinity, true}; }

bool Range::includes(double x) const { return std::isnan(x) ? mayBeNaN : low <= x && x <= high; }

double Range::error() const {
  if (isExact())
    return 0;
  const double error = std::max(high - value, value - low);
  return std::isnan(error) || mayBeNaN ? infinity : error;
}

Range Range::widened(double error) const {
  return hasNumbers() ? Range{value, low - error, high + error, mayBeNaN} : *this;
}

Range rounded(const Range &range, ElementType type) {
  if (!isFloat(type) && range.mayBeNaN)
    return hull(rounded({range.value, range.low, range.high, false}, type),
                Range::exactly(roundTo(type, notANumber)));
  Range result{roundTo(type, range.value), range.low, range.high, range.mayBeNaN};
  if (range.hasNumbers()) {
    result.low = roundTo(type, range.low);
    result.high = roundTo(type, range.high);
  }
  return result;
}

Range rangeOf(const Value &value, const Range *operands) {
  if (isComparison(value.operation))
    return compareRanges(value, operands);
  if (value.operation == Operation::select)
    return selectRange(operands);
  if (value.operation == Operation::cast)
    return rounded(operands[0], value.type);
  bool isExact = true, hasNumbers = true, mayBeNaN = false;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    isExact &= operands[i].isExact();
    hasNumbers &= operands[i].hasNumbers();
    mayBeNaN |= operands[i].mayBeNaN;
  }
  if (value.type == ElementType::i32 && !isExact)
    return integerRange(value, operands);
  Range range = isExact ? ofExact(value, operands) : Range{notANumber, infinity, -infinity, true};
  if (!isExact && hasNumbers)
    range = numberRange(value, operands);
  if (!range.hasNumbers())
    return range;
  range.mayBeNaN |= mayBeNaN;
  if (const double ulps = ulpsOf(value.operation); ulps > 0) {
    range.low -= ulpError(range.low, ulps);
    range.high += ulpError(range.high, ulps);
  }
  return isExact ? range : range.widened(fusedError(value, range));
}

} // namespace mmk
