#include "codegen/program.h"

#include "backend/backend.h"
#include "codegen/emitter.h"

using namespace llvm;

namespace mmk {

std::string phaseName(unsigned index) { return "mmk_phase_" + std::to_string(index); }

std::string planName(unsigned index) { return "mmk_plan_" + std::to_string(index); }

Expected<std::unique_ptr<Module>> emitProgram(aicore::KernelOp kernel, const CodeTarget &target,
                                              LLVMContext &context, bool watched) {
  auto module = std::make_unique<Module>(kernel.getSymName(), context);
  module->setDataLayout(target.machine->createDataLayout());
  module->setTargetTriple(target.machine->getTargetTriple());
  Emitter emitter(*module, target);
  const Backend &backend = backendOf(aicore::machineOf(kernel));
  if (Error error = backend.emitProgram(kernel, emitter, watched))
    return std::move(error);
  return module;
}

} // namespace mmk
