// Any text as the argument of `--set` and `--variant`, and, after a tab, of `--machine-set`.
#include "compiler/compiler.h"
#include "frontend/compile.h"

namespace {

const mmk::Program &program() {
  static const mmk::Program program = [] {
    mmk::Diagnostics diagnostics;
    std::unique_ptr<mmk::SourceFile> file;
    auto checked = mmk::checkProgram(
        "fuzz.mmk",
        "kernel k(a: f16[B, M, K], b: f16[K, N]) -> c: f32[B, M, N] { c = relu(a @ b); }",
        diagnostics, file);
    return std::move(*checked);
  }();
  return program;
}

llvm::Expected<mmk::Machine> machineWith(llvm::StringRef setting) {
  if (setting.empty())
    return mmk::loadMachine("ascend910b3");
  auto [path, value] = setting.split('=');
  return mmk::loadMachine("ascend910b3", {{path.str(), value.str()}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [set, setting] = llvm::StringRef(reinterpret_cast<const char *>(data), size).split('\t');
  llvm::Expected<mmk::Machine> machine = machineWith(setting);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return 0;
  }
  const mmk::Kernel &kernel = *program().kernels[0];
  mmk::Compiler compiler(program(), *machine);
  auto module = compiler.toIr(kernel);
  llvm::Expected<mmk::Choices> choices = mmk::parseChoices(kernel, *machine, *module, set.str());
  if (!choices) {
    llvm::consumeError(choices.takeError());
    return 0;
  }
  mmk::PipelineOptions options;
  options.choices = *choices;
  options.proveSync = false;
  const mmk::Lowering lowering =
      compiler.lower(kernel, std::move(module), mmk::LoweringLevel::aicore, options, false);
  if (lowering.isBug || (!lowering.module && !lowering.messages.hasErrors()))
    __builtin_trap();
  return 0;
}
