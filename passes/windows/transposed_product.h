// A product of weights with windows, computed as that of the windows with the weights: the windows
// are its left operand, and its result is transposed.
#pragma once

#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// Puts the transposed product in place of one whose right operand is a collapsed mmk.window, and a
/// copy of its result in the order of the kernel. The builder then stands before the product.
mlir::linalg::ContractOp computeTransposed(mlir::OpBuilder &b, mlir::linalg::ContractOp contract);

/// Computes what follows such products elementwise before the copies: a bias, an activation, the
/// largest of several products. It reads no other matrix. The result is copied in their place.
void transposeLate(mlir::OpBuilder &b, ir::KernelOp kernel);

} // namespace mmk
