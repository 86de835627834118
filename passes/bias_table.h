// `bias = table`: which rows the products of a kernel can start from, in place of zero.
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

/// Of the products of a kernel whose body is whole tensors. When there is none, `problem` says why
/// it is not so of the last product: "nothing is added to acc".
llvm::SmallVector<AddedRow> findAddedRows(ir::KernelOp kernel, std::string &problem);

/// Lets each such product start from its row: `linalg.broadcast` in place of the zero, the sum
/// gone.
void startFromRows(ir::KernelOp kernel);

} // namespace mmk
