// Instructions and flags as calls of Ascend C.
#pragma once

#include "ascendc/expressions.h"

namespace mmk::ascendc {

class Instructions {
public:
  Instructions(aicore::KernelOp kernel, VariableNames &names, Expressions &expressions)
      : kernel_(kernel), names_(names), expressions_(expressions) {}

  /// The statement of an instruction or a flag. An operation that has none is reported at its
  /// place.
  mlir::FailureOr<std::string> statement(mlir::Operation *op);
  /// The declaration of a buffer.
  mlir::FailureOr<std::string> declaration(aicore::AllocOp buffer);

private:
  using Statement = mlir::FailureOr<std::string>;
  Statement load(aicore::LoadOp op);
  Statement loadL0(aicore::LoadL0Op op);
  Statement multiply(aicore::MmadOp op);
  Statement store(aicore::FixpipeOp op);
  template <typename Op> Statement flag(Op op, const char *function);

  std::string copyOf(mlir::Value buffer, mlir::Value slot, std::optional<int64_t> part = {});
  template <typename Op> mlir::FailureOr<std::string> elementAt(Op transfer, mlir::Value tensor);
  template <typename Op> std::string rowStride(Op transfer, mlir::Value tensor);
  std::string extentOf(mlir::Value tensor, int64_t dim);
  std::string strideOf(mlir::Value tensor, int64_t dim);

  aicore::KernelOp kernel_;
  VariableNames &names_;
  Expressions &expressions_;
};

} // namespace mmk::ascendc
