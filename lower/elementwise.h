// Scalar code of the language's elementwise operations, in arith and math.
#pragma once

#include "frontend/kernel.h"
#include "ir/element_type.h"

#include "mlir/IR/Builders.h"

namespace mmk {

/// One element of `operation`, on operands of any element type. Arithmetic is done in f32, so
/// operands are converted to it first; comparisons yield i1.
mlir::Value emitElement(mlir::OpBuilder &builder, mlir::Location loc, Operation operation,
                        mlir::ValueRange operands);

/// Converts one element: to nearest even for narrower floats, to nearest even and saturating (NaN
/// to 0) for integers.
mlir::Value emitConversion(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                           mlir::Type to);

/// What a reduction starts from: what changes no element.
mlir::TypedAttr identityOf(mlir::OpBuilder &b, Reduction reduction, mlir::Type element);

/// One step of a reduction: `arguments` are an element, what the elements before it gave, and, of
/// an argmax or argmin, the position of that, along the iteration dimension `dimension`. Returns
/// the new ones.
llvm::SmallVector<mlir::Value, 2> emitReduction(mlir::OpBuilder &b, mlir::Location loc,
                                                Reduction reduction, mlir::ValueRange arguments,
                                                unsigned dimension);

/// 1 where a condition holds, else 0, as f32; and whether such a number is 1.
mlir::Value numberOfCondition(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition);
mlir::Value conditionOfNumber(mlir::OpBuilder &b, mlir::Location loc, mlir::Value number);

} // namespace mmk
