// A vector instruction group of the AI core as a loop over vectors of the host.
#pragma once

#include "codegen/emitter.h"
#include "ir/aicore.h"

namespace mmk {

struct VectorCall {
  /// void(inputs..., outputs..., i64 rows, i64 columns, scalars...); null when an operation of the
  /// region has no code.
  llvm::Function *function = nullptr;
  /// Values of the kernel that the region uses, in the order of the function's last parameters.
  llvm::SmallVector<mlir::Value> scalars;
};

/// All operations of the region in one pass, in registers. Whole vectors are written: rows of UB
/// buffers are padded so that what lies beyond the last column is theirs.
VectorCall vectorFunction(Emitter &e, aicore::VectorOp op);

} // namespace mmk
