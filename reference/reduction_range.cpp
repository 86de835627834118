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
    if (term.mayBeNaN && !term.hasNumbers())
      break; // one before it, or this
  }
  // Of terms that are exact, the first.
  const bool isExact = std::ranges::all_of(terms, &Range::isExact);
  return isExact ? Range::exactly(value) : range;
}

/// Where magnitudes above 1 alone overflow, or those below 1 alone underflow, an order does.
Range rangeOfProduct(const std::vector<Range> &terms, double value) {
  double above = 0, below = 0, relative = 0; // logarithms
  bool mayBeZero = false, isSpecial = false;
  for (const Range &term : terms) {
    const double size = std::max(std::fabs(term.low), std::fabs(term.high));
    isSpecial |= term.mayBeNaN || std::isinf(size);
    if (isSpecial)
      break;
    const double least = std::min(std::fabs(term.low), std::fabs(term.high));
    mayBeZero |= term.low <= 0 && term.high >= 0;
    above += size > 1 ? std::log2(size) : 0;
    below += least > 0 && least < 1 ? std::log2(least) : 0;
    if (least > 0)
      relative += (term.high - term.low) / least;
  }
  const bool mayOverflow = above > 127.9, mayUnderflow = below < -125.9;
  if (isSpecial || (mayOverflow && (mayUnderflow || mayBeZero)))
    return terms.size() == 1 ? terms[0] : Range::anything(value);
  const double count = static_cast<double>(terms.size());
  const double error = std::fabs(value) * std::expm1(relative + count * roundOffOfFactor);
  Range range{value, value - error, value + error, false};
  if (mayUnderflow || mayBeZero) {
    const double lost = std::exp2(above) * (mayBeZero ? 1 : leastNormal);
    const bool isZero = std::ranges::any_of(
        terms, [](const Range &term) { return term.low == 0 && term.high == 0; });
    if (!isZero) {
      range.low = std::min(range.low, -lost);
      range.high = std::max(range.high, lost);
    }
  }
  if (mayOverflow) {
    range.low = -unbounded;
    range.high = unbounded;
  }
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
    return rangeOfProduct(terms, value);
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

bool isExactTree(const Value &root) {
  const auto rounds = [](const Value &value) {
    switch (value.operation) {
    case Operation::parameter:
    case Operation::constant:
    case Operation::extent:
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
    case Operation::reduce:
      return value.reduction == Reduction::product ||
             (value.reduction == Reduction::sum && isFloat(value.type));
    default:
      return !(value.operation >= Operation::equal && value.operation <= Operation::greaterEqual);
    }
  };
  const auto isLeaf = [](const Value &value) { return value.operands.empty(); };
  return std::ranges::none_of(operandsFirst(root, isLeaf),
                              [&](const Value *value) { return rounds(*value); });
}

} // namespace mmk
