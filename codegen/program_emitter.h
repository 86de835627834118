// The part of a program that is the same on all machines: workspaces, plans, phases, loops,
// scalars. A back end derives from it and emits its instructions.
#pragma once

#include "codegen/plan.h"
#include "codegen/program_values.h"
#include "codegen/watch_calls.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Error.h"

namespace mmk {

class ProgramEmitter {
public:
  ProgramEmitter(aicore::KernelOp kernel, Emitter &e, bool watched)
      : kernel(kernel), e(e), b(e.b), values(kernel, e), watch(kernel, e, watched) {}
  virtual ~ProgramEmitter() = default;

  /// The error names an operation without code.
  llvm::Error run();

protected:
  /// Emits an operation of the back end; false for another operation.
  virtual bool emitInstruction(mlir::Operation &op) = 0;
  /// Around the body of a loop whose induction variable is `i`.
  virtual void beginIteration(mlir::scf::ForOp loop, llvm::Value *i) {}
  virtual void endIteration() {}

  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation &op);

  aicore::KernelOp kernel;
  Emitter &e;
  llvm::IRBuilder<> &b;
  ProgramValues values;
  WatchCalls watch;
  llvm::Value *threads = nullptr; ///< of a plan: the most threads that share the blocks

private:
  void emitWorkspaces();
  void emitPlan(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index);
  llvm::Value *emitIdleCheck(aicore::PhaseOp phase, const PhasePlan &plan);
  void emitPhase(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index);
  llvm::Function *startFunction(const std::string &name, llvm::ArrayRef<llvm::Type *> parameters);
  void bindArguments(const ArgumentArrays &arrays);

  void emitMeaning(mlir::Operation &op);
  void emitSlot(aicore::SlotOp op);
  void emitLoop(mlir::scf::ForOp op);
  void emitBranch(mlir::scf::IfOp op);
  void emitScalar(mlir::Operation *op);
};

} // namespace mmk
