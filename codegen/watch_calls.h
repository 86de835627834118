// What a watched program tells its watch: each op that a watch sees, by its number, before it is
// done (runtime/abi.h, WatchFunction).
#pragma once

#include "codegen/program_values.h"

#include <vector>

namespace mmk {

/// The ops that a watch sees, by number: instructions, flags and workspaces, in order of the text.
std::vector<mlir::Operation *> watchedOps(aicore::KernelOp kernel);

class WatchCalls {
public:
  /// None at all unless the program is `watched`.
  WatchCalls(aicore::KernelOp kernel, Emitter &e, bool watched);

  bool enabled() const { return !numbers.empty(); }
  bool sees(mlir::Operation *op) const { return numbers.contains(op); }

  /// At the start of a phase that runs in the memories of `core` (CoreMemories).
  void begin(llvm::Value *core);
  /// Whether the op may be done, as the watch says (i1).
  llvm::Value *call(mlir::Operation *op, ProgramValues &values);

private:
  Emitter &e;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::Value *step = nullptr, *watch = nullptr, *operands = nullptr;
};

} // namespace mmk
