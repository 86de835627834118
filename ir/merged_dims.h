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

/// The dimensions of a tensor whose extents, multiplied, bound the rows of a load, which run along
/// `dim`: the merged ones where it is the last of them and the load begins at the others' beginning
/// and does not run along these; else that one alone.
llvm::SmallVector<int64_t> boundingDims(LoadOp load, int64_t dim);

/// Whether each names a tensor of the kernel and dimensions that it has; emits an error otherwise.
llvm::LogicalResult verifyMergedDims(KernelOp kernel);

/// The number of a tensor that the kernel has.
int64_t numberOfTensor(KernelOp kernel, mlir::Value memory);
mlir::Value tensorOfNumber(KernelOp kernel, int64_t number);

} // namespace mmk::aicore
