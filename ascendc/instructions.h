// Instructions and flags as calls of Ascend C.
#pragma once

#include "ascendc/expressions.h"

namespace mmk::ascendc {

/// One or more lines; or the operation has been reported.
using Statement = mlir::FailureOr<std::string>;

class Instructions {
public:
  Instructions(aicore::KernelOp kernel, VariableNames &names, Expressions &expressions)
      : kernel_(kernel), names_(names), expressions_(expressions) {}

  /// The statement of an instruction or a flag. An operation that has none is reported at its
  /// place.
  Statement statement(mlir::Operation *op);
  /// The declaration of a buffer.
  Statement declaration(aicore::AllocOp buffer);

private:
  Statement load(aicore::LoadOp op);
  Statement loadL0(aicore::LoadL0Op op);
  Statement multiply(aicore::MmadOp op);
  Statement storeSums(aicore::FixpipeOp op);
  Statement spill(aicore::SpillOp op);
  Statement fetch(aicore::FetchOp op);
  Statement store(aicore::StoreOp op);
  Statement vector(aicore::VectorOp op);
  Statement vectorInstruction(aicore::VectorOp op, aicore::VecOp vec);
  Statement byRows(aicore::VectorOp op, aicore::VecOp vec, const std::string &name);
  /// The number of an event or a flag: those of a buffer's copies follow each other.
  std::string eventOf(int64_t first, mlir::Value slot);
  template <typename Op> Statement flag(Op op, const char *function);
  template <typename Op> Statement crossFlag(Op op, const char *function);

  std::string copyOf(mlir::Value buffer, mlir::Value slot, std::optional<int64_t> part = {});
  std::string tileOf(aicore::VectorTile tile);
  std::string meetingPlace(mlir::Value buffer, mlir::Value slot, mlir::Value row,
                           mlir::Value column);
  template <typename Op> Statement elementAt(Op transfer, mlir::Value tensor);
  template <typename Op> std::string rowStride(Op transfer, mlir::Value tensor);
  std::string extentOf(mlir::Value tensor, int64_t dim);
  std::string strideOf(mlir::Value tensor, int64_t dim);

  aicore::KernelOp kernel_;
  VariableNames &names_;
  Expressions &expressions_;
};

/// Bytes from one copy of a buffer to the next.
int64_t copyBytesOf(aicore::AllocOp buffer);
/// Rows and columns.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value buffer);

} // namespace mmk::ascendc
