// Emits the program of the CPU as functions: whole tiles, and scalar code around them.
#pragma once

#include "codegen/program_emitter.h"
#include "cpu/tile_code.h"

namespace mmk {

class CpuProgram : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  bool emitInstruction(mlir::Operation &op) override;
  void beginIteration(mlir::scf::ForOp loop, llvm::Value *i) override;
  void endIteration() override { next = {}; }

  OperandPlaces next; ///< of the next iteration of the loop that is being emitted
};

} // namespace mmk
