// A kernel on the host as LLVM IR for some CPU, and runs of it if this computer can execute it.
#pragma once

#include "backend/backend.h"
#include "codegen/program.h"
#include "compiler/pipeline.h"
#include "cpu/dialect.h"
#include "frontend/compile.h"
#include "jit/object.h"
#include "lower/lower.h"
#include "runtime/abi.h"
#include "runtime/pack.h"
#include "tests/hunt/guarded.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <regex>

namespace mmk {

/// The product with bias and leaky relu; `ofB` is "const " where B is a constant, `ofA` where A is.
inline std::string fusedKernel(const char *type, const char *schedule = "", const char *ofB = "",
                               const char *ofA = "") {
  return llvm::formatv("kernel k(a: {3}{0}[M, K], b: {2}{0}[K, N], bias: f32[N]) -> c: f32[M, N] {{"
                       "  c = leaky_relu(a @ b + bias, 0.5); {1} }",
                       type, schedule, ofB, ofA);
}

/// A kernel on the host as LLVM IR for some CPU.
struct Emitted {
  Emitted(CodeTarget of, const char *type) : Emitted(std::move(of), fusedKernel(type)) {}
  Emitted(CodeTarget of, const std::string &text,
          Machine machine = llvm::cantFail(loadMachine("host")))
      : target(std::move(of)) {
    Diagnostics diagnostics;
    std::unique_ptr<SourceFile> file;
    auto program = checkProgram("k.mmk", text, diagnostics, file);
    EXPECT_TRUE(program) << diagnostics.render();
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    mlir::MLIRContext mlirContext(registry, mlir::MLIRContext::Threading::DISABLED);
    auto ir = lowerToIr(*program->kernels[0], "host", mlirContext);
    EXPECT_TRUE(succeeded(runPipeline(*ir, machine, LoweringLevel::aicore)));
    aicore::KernelOp kernel = *ir->getOps<aicore::KernelOp>().begin();
    // A constant left operand is in panels where it multiplies pixels; their code is that of any.
    const auto named = *kernel.getArgs().getAsRange<ir::NamedAttr>().begin();
    if (named.getConstant())
      kernel.walk([](cpu::ProductOp product) { product.setPackedLeft(!product.getPacked()); });
    module = llvm::cantFail(emitProgram(kernel, target, *context));
    packed = backendOf(machine.kind).packedOperands(kernel, target);
  }

  std::string assembly() {
    optimise(*module, target);
    llvm::SmallVector<char, 0> text = machineCode(*module, target, /*assembly=*/true);
    return {text.begin(), text.end()};
  }
  /// The function that sums a register tile of the widest panel.
  llvm::Function *widest() {
    for (llvm::Function &function : *module)
      if (std::regex_match(function.getName().str(), std::regex("product_\\d+_3")))
        return &function;
    return nullptr;
  }

  CodeTarget target;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::vector<PackedOperand> packed;
};

/// An upper bound on the plan of one phase on the host.
constexpr size_t mostOfPlan = 64;

/// The bf16 of a number that it represents exactly.
struct Bf16 {
  Bf16() = default;
  explicit Bf16(int64_t value)
      : bits(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16)) {}
  explicit operator int64_t() const {
    return static_cast<int64_t>(std::bit_cast<float>(uint32_t{bits} << 16));
  }
  uint16_t bits = 0;
};

/// The only phase of a kernel as it was emitted, for this process to call.
struct Phase {
  explicit Phase(Emitted emitted) {
    jit->getMainJITDylib().addGenerator(
        llvm::cantFail(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            jit->getDataLayout().getGlobalPrefix())));
    llvm::cantFail(jit->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(emitted.module), std::move(emitted.context))));
    run = llvm::cantFail(jit->lookup(phaseName(0))).toPtr<PhaseFunction>();
    plan = llvm::cantFail(jit->lookup(planName(0))).toPtr<PlanFunction>();
  }

  std::unique_ptr<llvm::orc::LLJIT> jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  PhaseFunction run = nullptr;
  PlanFunction plan = nullptr;
};

using Change = llvm::function_ref<void(Emitted &, llvm::orc::LLJIT &)>;

/// A kernel that this computer can run after `change` was applied to it.
class Runnable {
public:
  Runnable(Emitted emitted, Change change) : packed(emitted.packed) {
    if (change)
      change(emitted, *jit);
    optimise(*emitted.module, emitted.target);
    llvm::SmallVector<char, 0> object = machineCode(*emitted.module, emitted.target);
    jit->getMainJITDylib().addGenerator(
        llvm::cantFail(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            jit->getDataLayout().getGlobalPrefix())));
    llvm::cantFail(
        jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy({object.data(), object.size()})));
    phase = llvm::cantFail(jit->lookup(phaseName(0))).toPtr<PhaseFunction>();
    planOf = llvm::cantFail(jit->lookup(planName(0))).toPtr<PlanFunction>();
  }

  /// m, k, n; strides by tensor, in elements.
  void run(const std::array<int64_t, 3> &dims, std::array<void *, 4> tensors,
           const std::array<std::array<int64_t, 2>, 4> &strides) {
    const float scalars[] = {0, 0, 0};
    const int64_t *all[] = {strides[0].data(), strides[1].data(), strides[2].data(),
                            strides[3].data()};
    int64_t plan[mostOfPlan];
    planOf(dims.data(), 8, plan);
    const KernelArguments arguments{dims.data(), scalars, tensors.data(), all, plan};
    // Every block, until no tile is left.
    for (int64_t block = 0; block < 8; ++block) {
      CoreMemories core{};
      core.block = block;
      for (unsigned i = 0; i < memories; ++i)
        core.memory[i] = memory[i].data();
      phase(&arguments, &core);
    }
  }

  const std::vector<PackedOperand> packed;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  PhaseFunction phase = nullptr;
  PlanFunction planOf = nullptr;
  // NaN, not zero: unwritten memory must not be read.
  std::vector<std::vector<char>> memory{memories, std::vector<char>(size_t(4) << 20, char(0xff))};
};

/// Runs the kernel at one shape, with A (1) and B (2) as they are or `turned`, the transpose of the
/// matrix in memory, next to a protected page.
template <typename Element>
void expectExactAt(Runnable &kernel, const char *type, int64_t m, int64_t n, int64_t k,
                   unsigned turned, hunt::Guarded::Page page = hunt::Guarded::Page::behind) {
  const ElementType element = *elementTypeFromSpelling(type);
  const hunt::Guarded ofA(element, {m, k}, page), ofB(element, {k, n}, page);
  auto *a = static_cast<Element *>(ofA.data()), *b = static_cast<Element *>(ofB.data());
  std::vector<float> bias(n, -1), c(m * n, 1e9f);
  // Bytes of the whole range; floats whose sums are exact.
  const bool bytes = sizeof(Element) == 1;
  for (int64_t i = 0; i < m * k; ++i)
    a[i] = static_cast<Element>(bytes ? i * 37 % 256 - 128 : i % 7 - 3);
  for (int64_t i = 0; i < k * n; ++i)
    b[i] = static_cast<Element>(bytes ? i * 91 % 256 - 128 : i % 5 - 2);
  const std::array<int64_t, 2> stepA = {turned & 1 ? 1 : k, turned & 1 ? m : 1},
                               stepB = {turned & 2 ? 1 : n, turned & 2 ? k : 1};
  const bool isLeft = !kernel.packed.empty() && kernel.packed[0].parameter == 0;
  const std::array<int64_t, 2> extents = isLeft ? std::array{m, k} : std::array{k, n};
  const int64_t panelBytes = kernel.packed.empty() ? 1 : packedBytes(kernel.packed[0], extents);
  const hunt::Guarded panels(ElementType::i8, {panelBytes}, page);
  std::array<void *, 2> bound = {a, b};
  if (!kernel.packed.empty()) {
    packPanels(kernel.packed[0], {bound[isLeft ? 0 : 1], extents, isLeft ? stepA : stepB},
               panels.data());
    bound[isLeft ? 0 : 1] = panels.data();
  }
  kernel.run({m, k, n}, {bound[0], bound[1], bias.data(), c.data()}, {{stepA, stepB, {1}, {n, 1}}});
  // With the rows of A and the columns of B contiguous, the compiler vectorises the sums below.
  std::vector<int16_t> rows(m * k), columns(n * k);
  for (int64_t j = 0; j < k; ++j) {
    for (int64_t i = 0; i < m; ++i)
      rows[i * k + j] = static_cast<int16_t>(int64_t(a[i * stepA[0] + j * stepA[1]]));
    for (int64_t i = 0; i < n; ++i)
      columns[i * k + j] = static_cast<int16_t>(int64_t(b[j * stepB[0] + i * stepB[1]]));
  }
  for (int64_t i = 0; i < m * n; ++i) {
    int32_t sum = -1;
    for (int64_t j = 0; j < k; ++j)
      sum += rows[i / n * k + j] * columns[i % n * k + j];
    ASSERT_EQ(c[i], sum < 0 ? 0.5f * float(sum) : float(sum))
        << type << " at " << i / n << "," << i % n << " of " << m << "," << n << "," << k
        << ", transposed: " << turned;
  }
}

template <typename Element>
void expectExact(CodeTarget target, const char *type, Change change = nullptr,
                 const char *schedule = "", const char *ofB = "", const char *ofA = "") {
  Runnable kernel(Emitted(std::move(target), fusedKernel(type, schedule, ofB, ofA)), change);
  EXPECT_EQ(kernel.packed.empty(), *ofB == 0 && *ofA == 0);
  const int64_t shapes[][3] = {
      {1, 1, 1},      {3, 300, 301}, {16, 64, 17},   {47, 97, 65},   {128, 384, 70}, {33, 35, 1030},
      {1, 65, 1040},  {5, 700, 130}, {16, 259, 700}, {301, 1, 259},  {257, 3, 300},  {130, 8, 1031},
      {450, 13, 300}, {1, 1, 70001}, {70, 100, 128}, {40, 70, 4480}, {33, 20, 2100}, {301, 1, 340},
      {520, 1, 192},  {1, 2500, 70}, {1, 100, 2050}, {2, 70, 2051},  {33, 17, 1},    {63, 50, 3}};
  for (auto [m, n, k] : shapes)
    for (unsigned turned = 0; turned < 4; ++turned)
      expectExactAt<Element>(kernel, type, m, n, k, turned);
}

} // namespace mmk
