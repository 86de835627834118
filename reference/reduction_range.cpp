#include "reference/reduction_range.h"

#include "reference/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mmk {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double roundOffOfFactor = 0x1p-24, leastNormal = 0x1p-126;

Range rangeOfExtreme(const std::vector<Range> &terms, double value, bool isMaximum) {
  Range range{value, isMaximum ? -unbounded : unbounded, isMaximum ? -unbounded : unbounded, false};
  bool isNaN = false;
  for (const Range &term : terms) {
    range.mayBeNaN |= term.mayBeNaN;
    isNaN |= term.mayBeNaN && !term.hasNumbers();
    if (!term.hasNumbers())
      continue;
    range.low = isMaximum ? std::max(range.low, term.low) : std::min(range.low, term.low);
    range.high = isMaximum ? std::max(range.high, term.high) : std::min(range.high, term.high);
  }
  return isNaN ? Range::exactly(std::numeric_limits<double>::quiet_NaN()) : range;
}

/// Any position whose term may be the extreme one. NaN is extreme.
Range rangeOfArgument(const std::vector<Range> &terms, double value, bool isMaximum) {
  const Range extreme = rangeOfExtreme(terms, value, isMaximum);
  const double bar = isMaximum ? extreme.low : extreme.high;
  Range range{value, unbounded, -unbounded, false};
  for (size_t i = 0; i < terms.size(); ++i) {
    const Range &term = terms[i];
    const bool reaches = extreme.hasNumbers() && term.hasNumbers() &&
                         (isMaximum ? term.high >= bar : term.low <= bar);
    if (!term.mayBeNaN && !reaches)
      continue;
    range.low = std::min(range.low, static_cast<double>(i));
    range.high = std::max(range.high, static_cast<double>(i));
    // One before it, or this.
    const bool isNaN = term.mayBeNaN && !term.hasNumbers();
    const bool isAhead = extreme.hasNumbers() && !extreme.mayBeNaN && !term.mayBeNaN &&
                         (isMaximum ? term.low >= extreme.high : term.high <= extreme.low);
    if (isNaN || isAhead)
      break;
  }
  // Of terms that are exact, the first.
  const bool isExact = std::ranges::all_of(terms, &Range::isExact);
  return isExact ? Range::exactly(value) : range;
}

/// What an order of multiplication may meet, from the sizes of the factors.
struct Factors {
  double above = 0, below = 0; ///< logarithms of those above 1, below 1
  double relative = 0;         ///< error of all
  bool mayBeZero = false, isZero = false, mayBeSpecial = false, isNaN = false, isInfinite = false;
  bool hasSign = true; ///< no factor may be of both

  void add(const Range &term) {
    const double size = std::max(std::fabs(term.low), std::fabs(term.high)),
                 least = std::min(std::fabs(term.low), std::fabs(term.high));
    isNaN |= term.mayBeNaN && !term.hasNumbers();
    isInfinite |= std::isinf(least) && term.isExact();
    mayBeSpecial |= term.mayBeNaN || (std::isinf(size) && !term.isExact());
    isZero |= term.low == 0 && term.high == 0;
    mayBeZero |= term.low <= 0 && term.high >= 0;
    hasSign &= term.low > 0 || term.high < 0;
    if (std::isinf(size))
      return;
    above += size > 1 ? std::log2(size) : 0;
    below += least > 0 && least < 1 ? std::log2(least) : 0;
    relative += least > 0 ? (term.high - term.low) / least : 0;
  }
};

/// Where magnitudes above 1 alone overflow, or those below 1 alone underflow, an order does.
Range rangeOfProduct(const std::vector<Range> &terms, double value) {
  if (terms.size() == 1)
    return terms[0];
  Factors all;
  for (const Range &term : terms)
    all.add(term);
  if (all.isNaN)
    return Range::exactly(std::numeric_limits<double>::quiet_NaN());
  const bool mayOverflow = all.above > 127.9 || all.isInfinite, mayUnderflow = all.below < -125.9;
  if (all.mayBeSpecial || (mayOverflow && (mayUnderflow || (all.mayBeZero && !all.isZero))))
    return Range::anything(value);
  if (all.isZero) // times infinity: NaN
    return mayOverflow ? Range::anything(value) : Range::exactly(value);
  if (all.isInfinite)
    return Range::exactly(value);
  const double count = static_cast<double>(terms.size()), largest = largestValue(ElementType::f32),
               size = std::min(std::fabs(value), largest),
               error = size * std::expm1(all.relative + count * roundOffOfFactor);
  Range range{value, value - error, value + error, false};
  if (std::isinf(value))
    range = value > 0 ? Range{value, largest - error, value, false}
                      : Range{value, value, error - largest, false};
  if (mayUnderflow || all.mayBeZero) {
    const double lost = std::exp2(all.above) * (all.mayBeZero ? 1 : leastNormal);
    range.low = std::min(range.low, -lost);
    range.high = std::max(range.high, lost);
  }
  // An infinity has the sign of the product.
  if (mayOverflow && (value > 0 || !all.hasSign))
    range.high = unbounded;
  if (mayOverflow && (value < 0 || !all.hasSign))
    range.low = -unbounded;
  return range;
}

} // namespace

Range rangeOfPlainSum(const std::vector<Range> &terms, ElementType type, double value, Care care) {
  Line line, ones;
  for (const Range &term : terms) {
    line.values.push_back(term.value);
    line.errors.push_back(term.error());
  }
  if (std::ranges::all_of(line.errors, [](double error) { return error == 0; }))
    line.errors.clear();
  ones.values.assign(terms.size(), 1);
  const auto depth = static_cast<int64_t>(terms.size());
  return isFloat(type) ? rangeOfSum(line, ones, depth, value, care)
                       : rangeOfIntegerSum(line, ones, depth, value);
}

Range rangeOfReduction(const Value &reduction, const std::vector<Range> &terms, double value,
                       Care care) {
  switch (reduction.reduction) {
  case Reduction::sum:
    return rangeOfPlainSum(terms, reduction.type, value, care);
  case Reduction::product:
    if (isFloat(reduction.type))
      return rangeOfProduct(terms, value);
    return std::ranges::all_of(terms, &Range::isExact)
               ? Range::exactly(value)
               : Range{value, std::numeric_limits<int32_t>::min(),
                       std::numeric_limits<int32_t>::max(), false};
  case Reduction::maximum:
  case Reduction::any:
    return rangeOfExtreme(terms, value, true);
  case Reduction::minimum:
  case Reduction::all:
    return rangeOfExtreme(terms, value, false);
  case Reduction::argmax:
    return rangeOfArgument(terms, value, true);
  case Reduction::argmin:
    return rangeOfArgument(terms, value, false);
  }
  return Range::anything(value);
}

double identityOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::sum:
  case Reduction::any:
    return 0;
  case Reduction::product:
  case Reduction::all:
    return 1;
  case Reduction::maximum:
  case Reduction::argmax:
    return -unbounded;
  case Reduction::minimum:
  case Reduction::argmin:
    return unbounded;
  }
  return 0;
}

bool isExactTree(const Value &root) {
  const auto rounds = [](const Value &value) {
    if (isElementwise(value.operation) && !isFloat(value.type))
      return false;
    switch (value.operation) {
    case Operation::parameter:
    case Operation::constant:
    case Operation::extent:
    case Operation::access:
    case Operation::position:
    case Operation::random:
    case Operation::transpose:
    case Operation::squeeze:
    case Operation::reshape:
    case Operation::negate:
    case Operation::abs:
    case Operation::floor:
    case Operation::ceil:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::select:
    case Operation::logicalAnd:
    case Operation::logicalOr:
    case Operation::logicalNot:
    case Operation::cast:
      return false;
    case Operation::cumulate:
      return isFloat(value.type);
    case Operation::reduce:
      return isFloat(value.type) &&
             (value.reduction == Reduction::product || value.reduction == Reduction::sum);
    default:
      return !(value.operation >= Operation::equal && value.operation <= Operation::greaterEqual);
    }
  };
  const auto isLeaf = [](const Value &value) { return value.operands.empty(); };
  return std::ranges::none_of(operandsFirst(root, isLeaf),
                              [&](const Value *value) { return rounds(*value); });
}

} // namespace mmk
