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

} // namespace mmk
