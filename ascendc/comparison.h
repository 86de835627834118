// Comparisons by the modes that the interface has: EQ, NE, GT, GE, LT and LE, of which NE alone
// holds for NaN.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mmk::ascendc {

/// The modes of which one holds, and whether the opposite is wanted.
struct Comparison {
  const char *mode = nullptr; ///< null: the interface has none of these
  const char *other = nullptr;
  bool isNegated = false;
};

Comparison comparisonOf(mlir::arith::CmpFPredicate predicate);
Comparison comparisonOf(mlir::arith::CmpIPredicate predicate);

} // namespace mmk::ascendc
