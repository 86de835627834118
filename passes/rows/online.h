// Values of a row that wait for its maximum m by a factor exp(-g), where g depends on m alone: a
// sum of such values with one maximum is one with another, times exp(g(one) - g(another)). All
// values are of one block, which computes an iteration of the rows.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mmk {

/// Whether a value is computed from another one of its block, without a reduction between.
bool reads(mlir::Value value, mlir::Value other);

/// g of a value whose dependence on the maximum is such a factor; null for another value. `isKept`:
/// whether a value is the same for the whole row.
mlir::Value shiftOf(mlir::Value value, mlir::Value largest,
                    llvm::function_ref<bool(mlir::Value)> isKept);

/// Whether the value is a maximum with 0 in place of -inf, and perhaps of inf, as a safe softmax
/// takes it off: select(largest == -inf, 0, largest), or its like.
bool isZeroOverNothing(mlir::Value value, mlir::Value largest);

/// The maximum, or 0 where it is -inf: exp(-inf - 0) is 0, where exp(-inf + inf) would be NaN.
mlir::Value finite(mlir::OpBuilder &b, mlir::Location loc, mlir::Value largest);

/// Computes values with other maxima.
class MaximumChange {
public:
  MaximumChange(mlir::OpBuilder &b, mlir::Value largest) : b(b), largest(largest) {}

  /// The value, with another one in place of the maximum. `map` has what is known of that.
  mlir::Value with(mlir::Value value, mlir::Value other, mlir::IRMapping &map);
  /// What a sum with one maximum is multiplied with to be one with another.
  mlir::Value quotient(mlir::Location loc, mlir::Value shift, mlir::Value from, mlir::Value to);
  /// What a sum of parts, with their maxima or 0 where these are -inf, is multiplied with: it is no
  /// number where the maximum of all is -inf and g of that is none.
  mlir::Value lastRatio(mlir::Location loc, mlir::Value shift);
  /// The result of an operation of the block that does the same, if there is one.
  mlir::Value merged(mlir::Operation *op);

  bool merges = true; ///< operations that do the same

private:
  mlir::OpBuilder &b;
  mlir::Value largest;
};

} // namespace mmk
