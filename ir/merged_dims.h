// Dimensions of tensors in global memory that a kernel's program goes along as one: in memory they
// follow each other without gaps.
#pragma once

#include "ir/aicore.h"

namespace mmk::aicore {

/// The dimensions from `first` to `last` of a tensor, by its number: parameters, then results, then
/// workspaces.
struct MergedDims {
  int64_t tensor, first, last;
  bool operator==(const MergedDims &) const = default;
};

llvm::SmallVector<MergedDims> mergedDims(KernelOp kernel);
void setMergedDims(KernelOp kernel, llvm::ArrayRef<MergedDims> all);

/// The dimensions whose extents, multiplied, bound an access that runs along `dim` of a tensor from
/// these offsets on: the merged ones where it is the last of them, from the beginning of the
/// others; else that one alone.
llvm::SmallVector<int64_t> boundingDims(KernelOp kernel, mlir::Value memory, int64_t dim,
                                        mlir::ValueRange offsets);

/// Whether each names a tensor of the kernel and dimensions that it has; emits an error otherwise.
llvm::LogicalResult verifyMergedDims(KernelOp kernel);

/// The number of a tensor that the kernel has.
int64_t numberOfTensor(KernelOp kernel, mlir::Value memory);
mlir::Value tensorOfNumber(KernelOp kernel, int64_t number);

} // namespace mmk::aicore
