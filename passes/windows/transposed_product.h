// A product of weights with windows, computed as that of the windows with the weights: the windows
// are its left operand, and its result is transposed.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// Puts the transposed product in place of one whose right operand is a collapsed mmk.window. What
/// follows elementwise and reads no other matrix, such as a bias and an activation, is computed
/// transposed, too. The result of that is copied into the order of the kernel. The builder then
/// stands before the product.
mlir::linalg::ContractOp computeTransposed(mlir::OpBuilder &b, mlir::linalg::ContractOp contract);

} // namespace mmk
