#include "reference/sum_range.h"

#include "support/element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace mmk {
namespace {

constexpr double infiniteSum = std::numeric_limits<double>::infinity();
constexpr double roundOff = 0x1p-24; ///< of f32
/// Six deviations of an error that is uniform between -1 and 1.
const double sixDeviations = 6 / std::sqrt(3.0);
constexpr int64_t quickShare = 32;
/// Neighbouring roundings whose sum is squared; then as many such sums, and so on.
constexpr int64_t neighbours = 32;

bool isBiased(Care care) { return care == Care::biased || care == Care::likelyBiased; }

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
  terms.plusInfinity |= term == infiniteSum;
  terms.minusInfinity |= term == -infiniteSum;
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
    const double error =
        ofLeft * std::fabs(right.values[k]) + ofRight * (std::fabs(left.values[k]) + ofLeft);
    if (ofLeft == infiniteSum || ofRight == infiniteSum)
      terms.mayBeAnything = true;
    else if (std::isfinite(error)) {
      terms.operandLinear += error;
      terms.operandSquares += error * error;
    }
  }
}

/// What the errors of `one` do to the sum where equal values have equal errors, as those of one
/// number that is rounded have: these add up. The square of it.
double squareOfEqualErrors(const Line &one, const Line &other, int64_t count) {
  if (one.errors.empty())
    return 0;
  struct Equal {
    double error = 0, factor = 0, errorsOfFactor = 0;
  };
  std::unordered_map<double, Equal> values;
  for (int64_t k = 0; k < count; ++k) {
    if (one.errors[k] == 0 || !std::isfinite(one.errors[k] * other.values[k]))
      continue;
    Equal &equal = values[one.values[k]];
    equal.error = std::max(equal.error, one.errors[k]);
    equal.factor += other.values[k];
    equal.errorsOfFactor += other.errors.empty() ? 0 : other.errors[k];
  }
  double squares = 0;
  for (const auto &[value, equal] : values) {
    const double error = equal.error * (std::fabs(equal.factor) + equal.errorsOfFactor);
    squares += std::isfinite(error) ? error * error : 0;
  }
  return squares;
}

/// Errors of operands come from different sums, so that they are independent; but one that is a
/// rounding in the other direction is not symmetric, hence three times their root. `biased` adds up
/// those of equal values.
double operandError(const Line &left, const Line &right, int64_t count, const Terms &terms,
                    Care care) {
  double squares = terms.operandSquares;
  if (isBiased(care))
    squares = std::max(squares, squareOfEqualErrors(left, right, count) +
                                    squareOfEqualErrors(right, left, count));
  return std::min(terms.operandLinear, 3 * std::sqrt(squares));
}

/// The deviation of the sum of the roundings, from those of the sum in the order of k. Of
/// independent ones it is the root of the sum of their squares. Neighbours that are rounded in one
/// direction make the squares of their sums larger: those of 32 neighbours, of 1024, and so on up
/// to all.
double deviationInOrder(const Line &left, const Line &right, int64_t count) {
  struct Level {
    double errors = 0, squares = 0;
  };
  std::array<Level, 8> levels; // 32^7 is beyond the largest depth
  float sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double exact = sum + left.values[k] * right.values[k];
    const float next = static_cast<float>(exact);
    if (!std::isfinite(next))
      continue; // the range has its infinity already
    levels[0].errors += next - exact;
    sum = next;
    int64_t number = k + 1;
    for (size_t level = 0; level + 1 < levels.size(); ++level) {
      Level &inner = levels[level], &outer = levels[level + 1];
      inner.squares += inner.errors * inner.errors;
      outer.errors += inner.errors;
      inner.errors = 0;
      if (number % neighbours != 0)
        break;
      number /= neighbours;
    }
  }
  double squares = 0, rest = 0;
  for (const Level &level : levels) {
    rest += level.errors;
    squares = std::max(squares, level.squares + rest * rest);
  }
  return std::sqrt(squares);
}

/// `start` is one more term.
bool isExactInAnyOrder(const Line &left, const Line &right, const Terms &terms, double start = 0) {
  const double sum = terms.sum + start;
  if (static_cast<float>(sum) != sum)
    return false;
  const double quantum = std::min(quantumOf(left.values) * quantumOf(right.values),
                                  start == 0 ? infiniteSum : quantumOf({start}));
  return quantum >= 0x1p-126 &&
         terms.positive + terms.negative + std::fabs(start) <= quantum / roundOff;
}

/// Of `depth` roundings; `terms` of the first ones.
double roundingError(const Line &left, const Line &right, const Terms &terms, double sum,
                     int64_t depth, Care care) {
  const double all = static_cast<double>(depth);
  const double reach = std::max(terms.reach(), std::fabs(sum)), worst = roundOff * all * reach;
  double squares = all * reach * reach;
  if (care == Care::likely || care == Care::likelyBiased)
    squares = std::max(terms.partialSquares, all * (sum * sum / 3 + terms.squares / 6));
  double error = sixDeviations * roundOff * std::sqrt(squares);
  if (isBiased(care))
    error = std::max(error, 6 * deviationInOrder(left, right, depth));
  return std::min(error, worst);
}

/// With infinities or NaN among the terms; `terms.positive` and `negative` of the others.
Range specialRange(const Terms &terms, double value, bool mayRise, bool mayFall) {
  if (terms.notANumber || (terms.plusInfinity && terms.minusInfinity))
    return Range::exactly(std::numeric_limits<double>::quiet_NaN());
  Range range = Range::exactly(terms.plusInfinity ? infiniteSum : -infiniteSum);
  range.value = value;
  range.mayBeNaN = terms.plusInfinity ? mayFall : mayRise;
  return range;
}

} // namespace

double quantumOf(const std::vector<double> &values) {
  constexpr int bitsOfFraction = 52, notFinite = 0x7FF, bias = 1075;
  constexpr uint64_t implied = uint64_t(1) << bitsOfFraction;
  int lowest = std::numeric_limits<int>::max();
  for (double value : values) {
    const auto bits = std::bit_cast<uint64_t>(value);
    const int exponent = static_cast<int>(bits >> bitsOfFraction & notFinite);
    if (exponent == notFinite)
      return 0;
    // Zero is a multiple of everything. No value of a narrower type is subnormal in double.
    const int lowestBit = exponent - bias + std::countr_zero((bits & (implied - 1)) | implied);
    lowest = std::min(lowest, exponent == 0 ? lowest : lowestBit);
  }
  return lowest == std::numeric_limits<int>::max() ? 1 : std::ldexp(1.0, lowest);
}

int64_t termsRead(int64_t depth, Care care) {
  return care == Care::quick && depth > shallowSum ? std::max(shallowSum, depth / quickShare)
                                                   : depth;
}

double errorOfExactFrom(double start, const Line &left, const Line &right, Care care) {
  const auto depth = static_cast<int64_t>(left.values.size());
  Terms terms;
  addTerms(left, right, depth, terms);
  if (isExactInAnyOrder(left, right, terms, start))
    return 0;
  return roundingError(left, right, terms, terms.sum, depth, care) + errorOfStart(start, depth);
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
  if (count == depth && left.errors.empty() && right.errors.empty() && !mayRise && !mayFall &&
      isExactInAnyOrder(left, right, terms))
    return Range::exactly(value);

  const bool isWhole = count == depth;
  const double sum = isWhole ? terms.sum : value;
  const double error = roundingError(left, right, terms, sum, depth, care) +
                       operandError(left, right, count, terms, care);
  Range range = rounded({value, sum - error, sum + error, mayRise && mayFall}, ElementType::f32);
  // The reference sums in another order than this.
  range.low = mayFall ? -infiniteSum : std::min(range.low, value);
  range.high = mayRise ? infiniteSum : std::max(range.high, value);
  range.value = value;
  return range;
}

} // namespace mmk
