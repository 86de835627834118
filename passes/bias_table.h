// `bias = table`: the rows from which products of a kernel can start, in place of zero.
#pragma once

#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace mmk {

/// A row of f32 that is added to a product and to nothing else.
struct AddedRow {
  mlir::linalg::ContractOp product;
  mlir::linalg::GenericOp sum;
  mlir::OpOperand *row; ///< of `sum`
};

/// The bias rows of a kernel whose body is on whole tensors. When there is none, `problem` says why
/// the last product has none: "nothing is added to acc".
llvm::SmallVector<AddedRow> findAddedRows(ir::KernelOp kernel, std::string &problem);

/// Starts each such product from its row: `linalg.broadcast` replaces the zero, and the sum is
/// removed. An error where the kernel has none.
mlir::LogicalResult startFromRows(ir::KernelOp kernel);

} // namespace mmk
