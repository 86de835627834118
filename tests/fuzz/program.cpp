// Any text as a .mmk file: it is refused with messages that point into it, or it is a kernel that
// is legal on some machine, or on none.
#include "compiler/compiler.h"
#include "frontend/compile.h"

namespace {

void lower(const mmk::Program &program, const mmk::Kernel &kernel) {
  static const mmk::Machine machine = llvm::cantFail(mmk::loadMachine("ascend910b3"));
  mmk::Compiler compiler(program, machine);
  mmk::PipelineOptions options;
  options.proveSync = false; // takes too long for a million programs
  const mmk::Lowering lowering =
      compiler.lower(kernel, compiler.toIr(kernel), mmk::LoweringLevel::aicore, options, false);
  if (lowering.isBug)
    __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  mmk::Diagnostics diagnostics;
  std::unique_ptr<mmk::SourceFile> file;
  const auto program = mmk::checkProgram("fuzz.mmk", text, diagnostics, file);
  if (!program && !diagnostics.hasErrors())
    __builtin_trap();
  (void)diagnostics.render();
  if (program)
    for (size_t i = 0; i < program->kernels.size() && i < 2; ++i)
      if (program->kernels[i]->values.size() < 30)
        lower(*program, *program->kernels[i]);
  mmk::Diagnostics ofTree;
  (void)mmk::printSyntaxTree("fuzz.mmk", text, ofTree, file);
  return 0;
}
