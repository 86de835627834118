// One vector instruction of the plan as calls on registers.
#pragma once

#include "ir/aicore.h"

#include <functional>
#include <string>
#include <vector>

namespace mmk::ascendc {

/// An operand: a register, a mask, or a scalar.
struct RegisterOperand {
  std::string text;
  mlir::Type element; ///< i1 of a mask, and of a condition that is a scalar
  bool isTile = true;
};

struct RegisterCall {
  aicore::VecOp op; ///< where an instruction that has no call is reported
  std::string target;
  mlir::Type element; ///< of the target
  llvm::SmallVector<RegisterOperand> inputs;
};

struct RegisterLines {
  std::vector<std::string> once; ///< in front of the loop
  std::vector<std::string> calls;
};

/// The type in which an instruction takes its scalars.
mlir::Type scalarTypeIn(aicore::VecOp op);

/// The calls, a line each. `nameOf` gives further registers a name. What the interface has no
/// instruction for is reported.
mlir::FailureOr<RegisterLines>
linesOf(const RegisterCall &call, const std::function<std::string(const std::string &)> &nameOf);

} // namespace mmk::ascendc
