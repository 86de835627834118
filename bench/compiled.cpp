#include "bench/compiled.h"

#include "compiler/pipeline.h"
#include "frontend/compile.h"
#include "lower/lower.h"

#include "mlir/IR/MLIRContext.h"

#include <fmt/format.h>

namespace mmk {

Compiled compile(const std::string &text, const std::string &machineName) {
  Compiled made;
  Diagnostics diagnostics;
  auto program = checkProgram("bench.mmk", text, diagnostics, made.file);
  if (!program) {
    fmt::print(stderr, "{}", diagnostics.render());
    std::exit(1);
  }
  made.program = std::move(*program);
  Machine machine = llvm::cantFail(loadMachine(machineName));
  mlir::DialectRegistry registry;
  registerDialectExtensions(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = lowerToIr(*made.program.kernels[0], machineName, context);
  if (failed(runPipeline(*module, machine, LoweringLevel::aicore)))
    std::exit(1);
  made.executable = llvm::cantFail(Executable::compile(*module, machine));
  return made;
}

std::string fusedText(const std::string &type, bool batch) {
  const std::string b = batch ? "B, " : "";
  if (type == "i8")
    return fmt::format("kernel k(a: i8[{0}M, K], b: i8[{0}K, N], scale: f32[N], bias: f32[N],"
                       " alpha: f32 = 0.01) -> c: f32[{0}M, N]"
                       " {{ c = leaky_relu((a @ b) * scale + bias, alpha); }}",
                       b);
  return fmt::format("kernel k(a: {0}[{1}M, K], b: {0}[{1}K, N], bias: f32[N],"
                     " alpha: f32 = 0.01) -> c: f32[{1}M, N]"
                     " {{ c = leaky_relu(a @ b + bias, alpha); }}",
                     type, b);
}

} // namespace mmk
