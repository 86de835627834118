// The left operand of products behind rows, the weights, without the factors that are the same for
// a whole row, such as a sum that divides them: the product is linear, and has them at its end.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mmk {

/// The selection of an element where a condition holds, else of the identity; null for another
/// value.
mlir::arith::SelectOp selectionOf(mlir::Value element, mlir::TypedAttr identity);

struct WeightsOfRow {
  /// A condition that elements other than 0 need, and whether it has to be true.
  struct Condition {
    mlir::Value value;
    bool isTrue = true;
  };

  mlir::Value rest;   ///< an element, without the factors
  mlir::Value factor; ///< null: 1
  llvm::SmallVector<Condition> conditions;

  /// Whether a reduction of this element goes over those alone for which a condition holds.
  bool areLeftOutBy(mlir::Value element, mlir::TypedAttr identity) const;
  /// A factor, but 0 in rows for which the conditions hold nowhere: the weights are all 0 there,
  /// and the factor may be infinite or NaN. `maximum` reduces an element from 0.
  mlir::Value guarded(mlir::OpBuilder &b, mlir::Location loc, mlir::Value factor,
                      llvm::function_ref<mlir::Value(mlir::Value, mlir::FloatAttr)> maximum) const;
};

/// The factors move over a rounding to the type of the product: its result is then that of other
/// weights, each as exact. `waits`: whether a value needs a reduction of the row; `isKept`: whether
/// it is the same for the whole row.
WeightsOfRow withoutFactors(mlir::OpBuilder &b, mlir::Location loc, mlir::Value weights,
                            llvm::function_ref<bool(mlir::Value)> waits,
                            llvm::function_ref<bool(mlir::Value)> isKept);

} // namespace mmk
