// Comparisons by the modes that the interface has: EQ, NE, GT, GE, LT and LE, of which NE alone
// holds for NaN.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mmk::ascendc {

/// A mode, and the same as an operator of C++.
struct Mode {
  const char *name = nullptr, *symbol = nullptr;
};

/// The modes of which one holds, and whether the opposite is wanted.
struct Comparison {
  Mode mode = {}; ///< without a name: the interface has none of these
  Mode other = {};
  bool isNegated = false;

  /// As an operator of C++; null where one is not enough.
  const char *symbol() const { return other.name || isNegated ? nullptr : mode.symbol; }
};

Comparison comparisonOf(mlir::arith::CmpFPredicate predicate);
Comparison comparisonOf(mlir::arith::CmpIPredicate predicate);

/// The same of the operands in the other order.
Comparison swapped(const Comparison &comparison);

} // namespace mmk::ascendc
