// The time of each step on the fused kernel: the frontend, the passes, code generation, counting,
// and execution on an emulated core and on the host.
#include "compiler/compiler.h"
#include "compiler/pipeline.h"
#include "count/count.h"
#include "executable/executable.h"
#include "frontend/compile.h"
#include "jit/linked.h"
#include "lower/lower.h"
#include "runtime/data.h"
#include "runtime/tensor.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <benchmark/benchmark.h>

namespace mmk {
namespace {

constexpr const char *path = MMK_SOURCE_DIR "/examples/matmul_bias_leakyrelu.mmk";

std::string exampleText() {
  return llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
      ->getBuffer()
      .str();
}

/// The kernel of the example, checked; and a context to compile it in.
struct Setting {
  explicit Setting(const std::string &machineName)
      : machine(llvm::cantFail(loadMachine(machineName))),
        context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    Diagnostics diagnostics;
    program = std::move(*checkProgram(path, exampleText(), diagnostics, file));
  }

  static const mlir::DialectRegistry &registry() {
    static const mlir::DialectRegistry all = [] {
      mlir::DialectRegistry made;
      registerDialectExtensions(made);
      return made;
    }();
    return all;
  }

  mlir::OwningOpRef<mlir::ModuleOp> toAicore() {
    auto module = lowerToIr(*program.kernels[0], machine.name, context);
    if (failed(runPipeline(*module, machine, LoweringLevel::aicore)))
      std::abort();
    return module;
  }

  std::unique_ptr<SourceFile> file;
  Program program;
  Machine machine;
  mlir::MLIRContext context;
};

void frontend(benchmark::State &state) {
  const std::string text = exampleText();
  for (auto _ : state) {
    Diagnostics diagnostics;
    std::unique_ptr<SourceFile> file;
    benchmark::DoNotOptimize(checkProgram(path, text, diagnostics, file));
  }
}
BENCHMARK(frontend)->Unit(benchmark::kMillisecond);

void passes(benchmark::State &state) {
  Setting setting("ascend910b3");
  for (auto _ : state)
    benchmark::DoNotOptimize(setting.toAicore());
}
BENCHMARK(passes)->Unit(benchmark::kMillisecond);

/// The work of a search for each variant: from the kernel's IR to its cycles, without the proof of
/// its flags, which only the winner needs. Items are variants.
void variant(benchmark::State &state) {
  Setting setting("ascend910b3");
  const Kernel &kernel = *setting.program.kernels[0];
  Compiler compiler(setting.program, setting.machine);
  const int64_t dims[] = {state.range(0), state.range(2), state.range(1)}; // declared M, K, N
  PipelineOptions options;
  options.proveSync = false;
  for (auto _ : state) {
    Lowering lowering =
        compiler.lower(kernel, compiler.toIr(kernel), LoweringLevel::aicore, options);
    benchmark::DoNotOptimize(
        llvm::cantFail(countKernel(lowering.kernel(), setting.machine, dims)).cycles);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(variant)->Args({2048, 2048, 2048})->Unit(benchmark::kMillisecond);

/// The arguments of the example's kernel.
struct Operands {
  Operands(int64_t m, int64_t n, int64_t k, unsigned threads)
      : a(llvm::cantFail(Tensor::allocate(ElementType::f16, {m, k}))),
        b(llvm::cantFail(Tensor::allocate(ElementType::f16, {k, n}))),
        bias(llvm::cantFail(Tensor::allocate(ElementType::f32, {n}))),
        c(llvm::cantFail(Tensor::allocate(ElementType::f32, {m, n}))),
        arguments{{m, k, n},
                  {0, 0, 0, 0.001},
                  {a.data(), b.data(), bias.data(), nullptr},
                  {c.data()},
                  {}} {
    uint64_t seed = 0;
    for (Tensor *tensor : {&a, &b, &bias})
      fillWithData(*tensor, DataKind::uniform, ++seed, threads);
  }

  Tensor a, b, bias, c;
  Arguments arguments;
};

/// The first variant of a kernel, and another one, whose functions exist already. Includes a first
/// run, which compiles the functions on their first call.
void generateCode(benchmark::State &state, const char *machine, bool isFirst) {
  Setting setting(machine);
  auto module = setting.toAicore();
  Operands operands(32, 32, 32, 1);
  for (auto _ : state) {
    if (isFirst)
      forgetLinked();
    auto executable = llvm::cantFail(Executable::compile(*module, setting.machine));
    llvm::cantFail(executable->run(operands.arguments, 1));
  }
}
BENCHMARK_CAPTURE(generateCode, ascend910b3_first, "ascend910b3", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateCode, ascend910b3_another, "ascend910b3", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateCode, host_first, "host", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateCode, host_another, "host", false)->Unit(benchmark::kMillisecond);

/// Arguments: M, N, K.
void count(benchmark::State &state) {
  Setting setting("ascend910b3");
  auto module = setting.toAicore();
  auto kernel = *module->getOps<aicore::KernelOp>().begin();
  const int64_t dims[] = {state.range(0), state.range(2), state.range(1)}; // declared M, K, N
  int64_t cycles = 0;
  for (auto _ : state)
    cycles = llvm::cantFail(countKernel(kernel, setting.machine, dims)).cycles;
  state.counters["cycles"] = static_cast<double>(cycles);
}
BENCHMARK(count)
    ->Args({2048, 2048, 2048})
    ->Args({512, 128, 512})
    ->Args({8192, 8192, 8192})
    ->Unit(benchmark::kMillisecond);

void compute(benchmark::State &state, const char *machine, unsigned threads) {
  Setting setting(machine);
  auto executable = llvm::cantFail(Executable::compile(*setting.toAicore(), setting.machine));
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  Operands operands(m, n, k, threads);
  for (auto _ : state)
    llvm::cantFail(executable->run(operands.arguments, threads));
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(m * n * k),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

#define MMK_SHAPES                                                                                 \
  Args({2048, 2048, 2048})                                                                         \
      ->Args({4096, 1024, 4096})                                                                   \
      ->Args({1024, 512, 1024})                                                                    \
      ->Args({512, 128, 512})                                                                      \
      ->Args({64, 64, 64})                                                                         \
      ->UseRealTime()                                                                              \
      ->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(compute, ascend910b3_1_thread, "ascend910b3", 1u)->MMK_SHAPES;
BENCHMARK_CAPTURE(compute, ascend910b3_2_threads, "ascend910b3", 2u)->MMK_SHAPES;
BENCHMARK_CAPTURE(compute, host_1_thread, "host", 1u)->MMK_SHAPES;
BENCHMARK_CAPTURE(compute, host_2_threads, "host", 2u)->MMK_SHAPES;

} // namespace
} // namespace mmk

BENCHMARK_MAIN();
