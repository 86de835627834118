// A tensor whose dimensions are in another order in memory.
#pragma once

#include "mlir/IR/Builders.h"

namespace mmk {

/// Copies a tensor: dimension i of the result is dimension `order[i]` of it.
mlir::Value copyInOrder(mlir::OpBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> order);

} // namespace mmk
