#include "reference/sum_range.h"

#include "support/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

// The roundings of the f32 sum below are those of one addition each.
#pragma clang fp contract(off)

namespace mmk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double roundOff = 0x1p-24; ///< of f32
/// Six deviations of an error that is uniform between -1 and 1.
const double sixDeviations = 6 / std::sqrt(3.0);
constexpr int64_t quickShare = 32;
/// Neighbouring roundings whose sum is compared with that of independent ones.
constexpr int64_t neighbours = 32;
/// The share of the variance of independent roundings from which on they are not.
constexpr double mostVariance = 3;

struct Terms {
  double sum = 0, squares = 0;
  double lowest = 0, highest = 0;    ///< partial sum
  double partialSquares = 0;         ///< of the partial sums
  double positive = 0, negative = 0; ///< of the terms of one sign
  double operandLinear = 0, operandSquares = 0;
  bool plusInfinity = false, minusInfinity = false, notANumber = false, mayBeAnything = false;

  double reach() const { return std::max(highest - lowest, std::sqrt(squares)); }
};

void addSpecial(double term, Terms &terms) {
  terms.plusInfinity |= term == infinity;
  terms.minusInfinity |= term == -infinity;
  terms.notANumber |= std::isnan(term);
}

void addTerms(const Line &left, const Line &right, int64_t count, Terms &terms) {
  Terms all = terms;
  for (int64_t k = 0; k < count; ++k) {
    const double term = left.values[k] * right.values[k];
    if (!std::isfinite(term)) {
      addSpecial(term, all);
      continue;
    }
    all.sum += term;
    all.squares += term * term;
    all.partialSquares += all.sum * all.sum;
    all.lowest = std::min(all.lowest, all.sum);
    all.highest = std::max(all.highest, all.sum);
    all.positive += std::max(term, 0.0);
    all.negative += std::max(-term, 0.0);
  }
  terms = all;
}

/// What the errors of the operands do to the sum.
void addOperandErrors(const Line &left, const Line &right, int64_t count, Terms &terms) {
  if (left.errors.empty() && right.errors.empty())
    return;
  for (int64_t k = 0; k < count; ++k) {
    const double ofLeft = left.errors.empty() ? 0 : left.errors[k];
    const double ofRight = right.errors.empty() ? 0 : right.errors[k];
    const double error = ofLeft * std::fabs(right.values[k]) +
                         ofRight * (std::fabs(left.values[k]) + ofLeft);
    if (ofLeft == infinity || ofRight == infinity)
      terms.mayBeAnything = true;
    else if (std::isfinite(error)) {
      terms.operandLinear += error;
      terms.operandSquares += error * error;
    }
  }
}

/// Errors of operands come from different sums, so that they are independent; but one that is a
/// rounding in the other direction is not symmetric, hence three times their root.
double operandError(const Terms &terms) {
  return std::min(terms.operandLinear, 3 * std::sqrt(terms.operandSquares));
}

/// Whether the roundings of the sum in the order of k have a direction.
bool isBiased(const Line &left, const Line &right, int64_t count) {
  float sum = 0;
  double variance = 0, together = 0;
  for (int64_t begin = 0; begin < count; begin += neighbours) {
    double errors = 0;
    for (int64_t k = begin; k < std::min(count, begin + neighbours); ++k) {
      const double exact = sum + left.values[k] * right.values[k];
      if (!std::isfinite(exact))
        continue;
      const float next = static_cast<float>(exact);
      if (!std::isfinite(next))
        return true;
      const double error = next - exact;
      variance += error * error;
      errors += error;
      sum = next;
    }
    together += errors * errors;
  }
  return together > mostVariance * variance;
}

bool isExactInAnyOrder(const Line &left, const Line &right, const Terms &terms) {
  const double quantum = left.quantum * right.quantum;
  return quantum >= 0x1p-126 && terms.positive + terms.negative <= quantum / roundOff;
}

/// Of `depth` roundings; `terms` of the first ones.
double roundingError(const Line &left, const Line &right, const Terms &terms, double sum,
                     int64_t depth, Care care) {
  const double all = static_cast<double>(depth);
  const double reach = std::max(terms.reach(), std::fabs(sum)), worst = roundOff * all * reach;
  if ((care == Care::biased || care == Care::likelyBiased) && isBiased(left, right, depth))
    return worst;
  double squares = all * reach * reach;
  if (care == Care::likely || care == Care::likelyBiased)
    squares = std::max(terms.partialSquares, all * (sum * sum / 3 + terms.squares / 6));
  return std::min(sixDeviations * roundOff * std::sqrt(squares), worst);
}

/// With infinities or NaN among the terms; `terms.positive` and `negative` of the others.
Range specialRange(const Terms &terms, double value, bool mayRise, bool mayFall) {
  if (terms.notANumber || (terms.plusInfinity && terms.minusInfinity))
    return Range::exactly(std::numeric_limits<double>::quiet_NaN());
  Range range = Range::exactly(terms.plusInfinity ? infinity : -infinity);
  range.value = value;
  range.mayBeNaN = terms.plusInfinity ? mayFall : mayRise;
  return range;
}

} // namespace

double quantumOf(const std::vector<double> &values) {
  int lowest = std::numeric_limits<int>::max();
  for (double value : values) {
    const auto bits = std::bit_cast<uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
    if (exponent == 0x7FF)
      return 0;
    const uint64_t digits = bits & ((uint64_t(1) << 52) - 1);
    if (exponent != 0) // zero is a multiple of everything; there are no subnormals of double
      lowest = std::min(lowest, exponent - 1075 + std::countr_zero(digits | uint64_t(1) << 52));
  }
  return lowest == std::numeric_limits<int>::max() ? 1 : std::ldexp(1.0, lowest);
}

int64_t termsRead(int64_t depth, Care care) {
  return care == Care::quick && depth > shallowSum ? std::max(shallowSum, depth / quickShare) : depth;
}

double errorOfStart(double start, int64_t depth) {
  const double rootOfDepth = std::sqrt(static_cast<double>(depth));
  return sixDeviations * roundOff * rootOfDepth * std::fabs(start);
}

Range rangeOfIntegerSum(const Line &left, const Line &right, int64_t depth, double value) {
  Terms terms;
  addTerms(left, right, depth, terms);
  addOperandErrors(left, right, depth, terms);
  if (terms.operandLinear == 0 && !terms.mayBeAnything)
    return Range::exactly(value);
  const double error = terms.operandLinear, most = largestValue(ElementType::i32);
  const bool mayWrap = std::fabs(terms.sum) + error > most || terms.mayBeAnything;
  return mayWrap ? Range{value, -most - 1, most, false}
                 : Range{value, value - error, value + error, false};
}

Range rangeOfSum(const Line &left, const Line &right, int64_t depth, double value, Care care) {
  const int64_t count = termsRead(depth, care);
  Terms terms;
  addTerms(left, right, count, terms);
  addOperandErrors(left, right, count, terms);
  const double largest = largestValue(ElementType::f32);
  const bool mayRise = terms.positive > largest, mayFall = terms.negative > largest;
  if (terms.mayBeAnything)
    return Range::anything(value);
  if (terms.plusInfinity || terms.minusInfinity || terms.notANumber)
    return specialRange(terms, value, mayRise, mayFall);
  if (count == depth && left.errors.empty() && right.errors.empty() &&
      isExactInAnyOrder(left, right, terms))
    return Range::exactly(value);

  const bool isWhole = count == depth;
  const double sum = isWhole ? terms.sum : value;
  const double error =
      roundingError(left, right, terms, sum, depth, care) + operandError(terms);
  Range range = rounded({value, sum - error, sum + error, mayRise && mayFall}, ElementType::f32);
  // The reference sums in another order than this.
  range.low = mayFall ? -infinity : std::min(range.low, value);
  range.high = mayRise ? infinity : std::max(range.high, value);
  range.value = value;
  return range;
}

} // namespace mmk
