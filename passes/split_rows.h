// What mmk-split-rows knows of the reductions of a row group: how they combine elements
// (split_rows.cpp), and which of them are sums of exponentials that wait for their maximum
// (split_online.cpp).
#pragma once

#include "passes/row_space.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mmk {

/// The last operations of a reduction's body.
struct RowCombination {
  mlir::Value element;  ///< what is combined with the elements before it; null: nothing is
  mlir::Value position; ///< of argmax and argmin, the position of the element; else null

  explicit RowCombination(mlir::linalg::GenericOp op);
};

/// A sum of f(x) * exp(-g), where only g depends on a maximum of the same rows: such a sum with one
/// maximum is one with another, times exp(g(one) - g(another)).
struct OnlineSum {
  mlir::linalg::GenericOp op;
  mlir::Value maximum;              ///< in the group
  mlir::BlockArgument argument;     ///< its element in the body of the sum
  mlir::Value shift;                ///< g, in the body
  llvm::SmallVector<unsigned> kept; ///< other inputs that g is computed from
};

/// Whether it is a maximum of floats over rows.
bool isRowMaximum(mlir::linalg::GenericOp op);

/// Whether the value is a maximum with 0 in place of -inf, and perhaps of inf, as a safe softmax
/// takes it off: select(largest == -inf, 0, largest), or its like.
bool isZeroOverNothing(mlir::Value value, mlir::Value largest);

/// Nothing for a reduction that has another form.
std::optional<OnlineSum> onlineSumOf(mlir::linalg::GenericOp op);

/// Puts 0 in place of a maximum of -inf into the body of a sum: where a part is -inf alone its sum
/// is then 0, not NaN.
void avoidInfinity(mlir::RewriterBase &b, mlir::linalg::GenericOp op, const OnlineSum &sum);

/// Of a part's sum, its maximum, that of all, the other inputs of g and the sum so far: the sum
/// with the part.
void emitRescaledPart(mlir::OpBuilder &b, mlir::Location loc, const OnlineSum &sum,
                      mlir::ValueRange elements);
/// Of the maximum and the other inputs of g: what a sum of all parts is multiplied with, which is
/// no number where the maximum is -inf.
mlir::Value lastRatio(mlir::OpBuilder &b, mlir::Location loc, const OnlineSum &sum,
                      mlir::ValueRange elements);
/// Of the sum of all parts, the maximum and the other inputs of g: the sum, also where the maximum
/// is -inf.
void emitRescaledSum(mlir::OpBuilder &b, mlir::Location loc, const OnlineSum &sum,
                     mlir::ValueRange elements);

/// The operations that compute a value in the body of an operation, up to what is mapped.
mlir::Value cloneCone(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &map);

/// An error: `reduce = online` of rows that are not reduced so.
mlir::LogicalResult refuseOnline(ir::KernelOp kernel, const RowSpace &space,
                                 ir::FusionGroupOp group);

} // namespace mmk
