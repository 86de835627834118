// Checked kernel -> mmk IR: the last step of the frontend, and the only one that knows MLIR.
#pragma once

#include "frontend/kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string_view>

namespace mmk {

/// A module with one mmk.kernel: the body as linalg on tensors, one op for each operation, and the
/// schedule that the kernel has for `machine`. Every op has its place in the text as location.
/// Loads the dialects that it needs into `context`.
mlir::OwningOpRef<mlir::ModuleOp> lowerToIr(const Kernel &kernel, std::string_view machine,
                                            mlir::MLIRContext &context);

} // namespace mmk
