#include "aicore/core_program.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mmk {

bool CoreProgram::emitInstruction(mlir::Operation &op) {
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp,
            aicore::BarrierOp>([](auto) { return true; })
      .Case([&](aicore::VectorCoresOp cores) {
        emitVectorCores(cores);
        return true;
      })
      .Case([&](aicore::Instruction instruction) {
        instructions.emit(instruction);
        return true;
      })
      .Default(false);
}

void CoreProgram::emitVectorCores(aicore::VectorCoresOp op) {
  Value *outer = values.vectorCore;
  e.loop(e.number(0), e.number(op.getCount()), e.number(1), [&](Value *core) {
    values.vectorCore = core;
    values.bind(op.getBody().getArgument(0), core);
    emitBlock(op.getBody().front());
  });
  values.vectorCore = outer;
}

} // namespace mmk
