// The calls of a watched program to its watch, one before each watched op (runtime/abi.h,
// WatchFunction).
#pragma once

#include "codegen/program_values.h"

#include <vector>

namespace mmk {

/// The watched ops, by number: instructions, flags and workspaces, in order of the text.
std::vector<mlir::Operation *> watchedOps(aicore::KernelOp kernel);

class WatchCalls {
public:
  /// Emits no calls unless the program is `watched`.
  WatchCalls(aicore::KernelOp kernel, Emitter &e, bool watched);

  bool enabled() const { return !numbers.empty(); }
  bool sees(mlir::Operation *op) const { return numbers.contains(op); }

  /// At the start of a phase that runs in the memories of `core` (CoreMemories).
  void begin(llvm::Value *core);
  /// Calls the watch; returns whether the op is to be executed (i1).
  llvm::Value *call(mlir::Operation *op, ProgramValues &values);

private:
  Emitter &e;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::Value *step = nullptr, *watch = nullptr, *operands = nullptr;
};

} // namespace mmk
