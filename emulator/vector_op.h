// The vector instructions of one aicore.vector as a loop over vectors of the host.
#pragma once

#include "codegen/emitter.h"
#include "ir/aicore.h"

namespace mmk {

struct VectorCall {
  /// void(inputs..., outputs..., scratch..., i64 rows, i64 columns, scalars...); null when there
  /// are no instructions yet.
  llvm::Function *function = nullptr;
  /// Values of the kernel that the instructions use, constants aside, in the order of the
  /// function's last parameters.
  llvm::SmallVector<mlir::Value> scalars;
};

/// All instructions in one pass over the tile, in registers. Each output is written once. Scratch
/// is not read, since what it holds is in a register; it is written when `writesScratch`, masks
/// excepted. Of a buffer that a loop carries exactly the elements of the tile are written, as on
/// the chip. Others are written in whole vectors: rows of UB buffers are padded, so what lies
/// beyond the last column belongs to them and is not read.
VectorCall vectorFunction(Emitter &e, aicore::VectorOp op, bool writesScratch);

} // namespace mmk
