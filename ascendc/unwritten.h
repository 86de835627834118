// The messages about programs that are not written as Ascend C yet.
#pragma once

#include "ir/aicore.h"

namespace mmk::ascendc {

/// Reports `what` at the place of `op`, with what can be written.
mlir::LogicalResult reportUnwritten(mlir::Operation *op, const llvm::Twine &what);

/// The same for an operation that has no statement.
mlir::LogicalResult reportUnwritten(mlir::Operation *op);

} // namespace mmk::ascendc
