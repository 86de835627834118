// From the caller's tensors and scalars to the arguments of a run: names, types, extents and
// strides are checked here, so that generated code never sees a wrong one.
#pragma once

#include "codegen/executable.h"
#include "frontend/kernel.h"
#include "library/failure.h"

#include "llvm/ADT/ArrayRef.h"

namespace mmk::library {

mmk_type typeOf(ElementType type);

mmk_error *bind(const Kernel &kernel, llvm::ArrayRef<mmk_tensor> tensors,
                llvm::ArrayRef<mmk_scalar> scalars, Arguments &arguments);

/// The values of the dimensions, in the kernel's order.
mmk_error *bindDimensions(const Kernel &kernel, llvm::ArrayRef<mmk_dimension> dimensions,
                          std::vector<int64_t> &values);

} // namespace mmk::library
