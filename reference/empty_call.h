// Calls in which a dimension is 0. No machine launches a kernel for them: most results have no
// elements, and what others have, such as a sum over nothing, is evaluated as the body is written.
#pragma once

#include "frontend/kernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <algorithm>

namespace mmk {

/// Whether a dimension is 0.
inline bool isEmptyCall(llvm::ArrayRef<int64_t> dims) {
  return std::ranges::find(dims, 0) != dims.end();
}

/// Whether a tensor of this shape has elements.
bool hasElements(const Kernel &kernel, const Shape &shape, llvm::ArrayRef<int64_t> dims);

/// What a call binds, in the order of the declaration. Memory of tensors without elements is not
/// touched.
struct EmptyCall {
  llvm::ArrayRef<int64_t> dims;
  llvm::ArrayRef<double> scalars;       ///< by parameter
  llvm::ArrayRef<const void *> tensors; ///< by parameter
  llvm::ArrayRef<void *> results;
  /// By parameter, then result, in elements; empty, or missing at the end, for a dense tensor.
  llvm::ArrayRef<llvm::SmallVector<int64_t, 4>> strides;
};

/// Fills the results. The error is about memory.
llvm::Error runEmptyCall(const Kernel &kernel, const EmptyCall &call, unsigned threads);

} // namespace mmk
