// The results that a right implementation may have for one element, and how they pass through an
// elementwise operation.
#pragma once

#include "frontend/kernel.h"

namespace mmk {

/// The numbers between two ends (none when `low > high`), and NaN if it may occur.
struct Range {
  double value = 0; ///< of the reference
  double low = 0, high = 0;
  bool mayBeNaN = false;

  /// One value, or NaN.
  static Range exactly(double value);
  /// Any number, infinity or NaN.
  static Range anything(double value);

  bool hasNumbers() const { return low <= high; }
  /// No second result is right.
  bool isExact() const { return mayBeNaN ? !hasNumbers() : low == high; }
  bool includes(double x) const;
  /// The largest distance of a number from the value; infinity where that is undefined.
  double error() const;

  /// Wider by `error` at both ends.
  Range widened(double error) const;
};

/// The range of an elementwise operation. Operations that the language rounds correctly have their
/// results for the ends of their operands; approximated functions add their stated error.
/// `operands` has as many entries as the operation has operands.
Range rangeOf(const Value &value, const Range *operands);

/// The values of a range, rounded once, as a store or a cast does.
Range rounded(const Range &range, ElementType type);

} // namespace mmk
