#include "codegen/watch_calls.h"

#include "runtime/abi.h"

#include <algorithm>
#include <cstddef>

using namespace llvm;

namespace mmk {

std::vector<mlir::Operation *> watchedOps(aicore::KernelOp kernel) {
  std::vector<mlir::Operation *> ops;
  kernel.walk([&](mlir::Operation *op) {
    auto barrier = dyn_cast<aicore::BarrierOp>(op);
    if ((barrier && !barrier.getPipe()) ||
        isa<aicore::Instruction, aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp,
            aicore::WaitCrossOp, aicore::WorkspaceOp>(op))
      ops.push_back(op);
  });
  return ops;
}

WatchCalls::WatchCalls(aicore::KernelOp kernel, Emitter &e, bool watched) : e(e) {
  if (!watched)
    return;
  for (auto [number, op] : enumerate(watchedOps(kernel)))
    numbers[op] = number;
}

// One array of operands serves all calls.
void WatchCalls::begin(Value *core) {
  unsigned most = 0;
  for (auto [op, number] : numbers)
    most = std::max(most, op->getNumOperands());
  operands = e.b.CreateAlloca(e.i64(), e.b.getInt32(most));
  auto field = [&](size_t offset) {
    return e.b.CreateAlignedLoad(e.pointer(), e.offset(core, offset), Align(8));
  };
  step = field(offsetof(CoreMemories, step));
  watch = field(offsetof(CoreMemories, watch));
}

Value *WatchCalls::call(mlir::Operation *op, ProgramValues &values) {
  for (auto [i, operand] : enumerate(op->getOperands())) {
    Value *shown = e.number(0);
    if (operand.getType().isIntOrIndex())
      shown = e.b.CreateZExt(values.value(operand), e.i64());
    e.store(shown, e.offset(operands, 8 * i));
  }
  Type *const types[] = {e.pointer(), e.i64(), e.i64(), e.pointer()};
  Value *core = values.vectorCore;
  Value *unit = core ? e.b.CreateAdd(core, e.number(1)) : e.number(0);
  CallInst *legal = e.b.CreateCall(FunctionType::get(e.b.getInt1Ty(), types, false), step,
                                   {watch, e.number(numbers.lookup(op)), unit, operands});
  legal->addRetAttr(Attribute::ZExt);
  return legal;
}

} // namespace mmk
