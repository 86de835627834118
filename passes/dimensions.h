// Dimensions of an operation: which of its loops are rows, columns and reduction, as linalg infers
// them from its maps, and the kernel's names of their extents.
#pragma once

#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// The attribute of tensor.collapse_shape that names its dimensions.
inline constexpr llvm::StringLiteral collapsedDimsAttr = "mmk.dims";

/// Whether it gives the memory of a tensor other dimensions: tensor.collapse_shape, or
/// tensor.expand_shape.
bool isReshape(mlir::Operation *op);

/// Whether nothing but mmk.return reads what an operation gives.
bool isReturned(mlir::Operation *op);

/// The tensor behind those.
mlir::Value behindReshapes(mlir::Value tensor);

/// The tensor that a value is a part or another form of: behind slices and reshapes.
mlir::Value behindViews(mlir::Value tensor);

/// Loops of a product. The output has batches, then rows and columns; an operand that does not vary
/// with a batch is read again for each.
struct ProductDims {
  unsigned rows, columns, reduction;
};
/// Fails when the product lacks a loop of some kind.
mlir::FailureOr<ProductDims> productDims(mlir::linalg::ContractOp contract);

/// Names of those loops.
struct ProductNames {
  llvm::StringRef rows, columns, reduction;
};
ProductNames productNames(mlir::linalg::ContractOp contract);

/// The kernel's name of a tensor's dimension `dim`: that of the parameter or of the mmk.dim that
/// its extent comes from, through slices, loops and fusion groups; "" for any other. A literal
/// extent is a number.
llvm::StringRef dimName(mlir::Value tensor, unsigned dim);

/// Along which of the dimensions of a result, by their names, the rows of an elementwise tile run:
/// the last but one, or where that is a literal of a few elements, such as the halves of a vector,
/// the nearest one outside of it that is not. -1: there is one dimension only.
int64_t elementwiseRows(llvm::ArrayRef<llvm::StringRef> dims);

llvm::SmallVector<llvm::StringRef> namesOf(llvm::ArrayRef<mlir::StringAttr> dims);

/// Names of an op's loops.
llvm::SmallVector<llvm::StringRef> dimNames(mlir::linalg::LinalgOp op);

/// Whether every product and elementwise op on whole tensors has named dimensions, and every
/// product rows, columns and a reduction; an error at the first one without.
llvm::LogicalResult checkDims(ir::KernelOp kernel);

} // namespace mmk
