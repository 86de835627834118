// The program of an AI core as functions of the host: every instruction over the emulated memories,
// in program order. Flags only order pipes in time, so they are no code here.
#pragma once

#include "codegen/program_emitter.h"
#include "emulator/core_instructions.h"

namespace mmk {

class CoreProgram : public ProgramEmitter {
public:
  CoreProgram(aicore::KernelOp kernel, Emitter &e, bool watched)
      : ProgramEmitter(kernel, e, watched), instructions(kernel, e, values, watch.enabled()) {}

private:
  bool emitInstruction(mlir::Operation &op) override;
  void emitVectorCores(aicore::VectorCoresOp op);

  CoreInstructions instructions;
};

} // namespace mmk
