// A kernel in fusion groups, as the closed form of its time reads it, for tests.
#pragma once

#include "compiler/compiler.h"
#include "tests/unit/checked.h"

namespace mmk {

/// A kernel with its fusion groups, on a machine.
struct Fused {
  Fused(const std::string &text, const std::string &machineName, Choices choices = {})
      : checked(text), machine(llvm::cantFail(loadMachine(machineName))),
        compiler(*checked.program, machine), lowering(lower(LoweringLevel::fused, choices)) {}

  Lowering lower(LoweringLevel level, Choices choices) {
    PipelineOptions options;
    options.choices = std::move(choices);
    return compiler.lower(checked.kernel(), compiler.toIr(checked.kernel()), level, options,
                          /*findsNearest=*/false);
  }

  ir::KernelOp kernel() { return *lowering.module->getOps<ir::KernelOp>().begin(); }

  Checked checked;
  Machine machine;
  Compiler compiler;
  Lowering lowering;
};

} // namespace mmk
