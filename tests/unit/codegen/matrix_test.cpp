// Every combination of awkward extents, by every kind of variant: the compiled kernel equals the
// reference to the bit. The data are small integers, whose sums are exact in any order.
#include "compiler/pipeline.h"
#include "executable/executable.h"
#include "frontend/compile.h"
#include "lower/lower.h"
#include "reference/reference.h"
#include "runtime/compare.h"
#include "runtime/data.h"
#include "tests/unit/samples.h"
#include "watch/watch.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

const std::vector<int64_t> extents = {1, 15, 16, 17, 63, 64, 65, 127, 129, 1000};
/// A watched run takes several times as long, so fewer extents: below, at and above a tile's edge,
/// and several tiles.
const std::vector<int64_t> watchedExtents = {1, 17, 64, 129};

std::string kernelText(const char *input, const char *output) {
  return llvm::formatv("kernel fused(a: {0}[M, K], b: {0}[K, N], bias: f32[N], alpha: f32 = 0.5)\n"
                       "    -> c: {1}[M, N] {{ c = leaky_relu(a @ b + bias, alpha); }\n",
                       input, output);
}

struct Variant {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Executable> executable;
};

/// f16 or f32 operands and results, on one machine.
struct Setting {
  const char *machine, *input, *output;
  bool watched = false;
};

class Matrix : public testing::TestWithParam<Setting> {};

TEST_P(Matrix, everyShapeByEveryVariantIsExact) {
  const Setting &setting = GetParam();
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  auto program =
      checkProgram("matrix.mmk", kernelText(setting.input, setting.output), diagnostics, file);
  ASSERT_TRUE(program) << diagnostics.render();
  const Kernel &kernel = *program->kernels[0];
  Machine machine = llvm::cantFail(loadMachine(setting.machine));
  mlir::DialectRegistry registry;
  registerDialectExtensions(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);

  std::vector<Variant> variants;
  for (const char *fuse : {"all", "none"})
    for (const char *copies : {"1", "2"})
      // The default tile, which fits the shape, or the largest of it; and one that most of the
      // extents do not divide; then drained in parts.
      for (const char *tile :
           {*copies == '1' ? "" : ",tile=128x256x32,stage=128", ",tile=64x48x32,stage=64",
            ",store=overlapped", ",tile=64x48x32,stage=64,acc=2,store=overlapped"}) {
        std::string name =
            llvm::formatv("fuse={0},l1={1},l0={1},out={1},ub={1}{2}", fuse, copies, tile);
        auto module = lowerToIr(kernel, setting.machine, context);
        PipelineOptions options;
        options.verify = true;
        std::string message;
        ASSERT_TRUE(parseVariant(name, {"M", "N", "K"}, options.choices, message)) << message;
        ASSERT_TRUE(succeeded(runPipeline(*module, machine, LoweringLevel::aicore, options)))
            << name;
        ExecutableOptions how;
        how.watched = setting.watched;
        auto executable = Executable::compile(*module, machine, how);
        ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
        variants.push_back({name, std::move(module), std::move(*executable)});
      }

  const ElementType in = kernel.parameters[0].type, out = kernel.results[0].type;
  const std::vector<int64_t> &tried = setting.watched ? watchedExtents : extents;
  int64_t checked = 0;
  for (int64_t m : tried)
    for (int64_t n : tried)
      for (int64_t k : tried) {
        Tensor a = llvm::cantFail(Tensor::allocate(in, {m, k}));
        Tensor b = llvm::cantFail(Tensor::allocate(in, {k, n}));
        Tensor bias = llvm::cantFail(Tensor::allocate(ElementType::f32, {n}));
        Tensor c = llvm::cantFail(Tensor::allocate(out, {m, n}));
        fillWithData(a, DataKind::integers, 1, 1);
        fillWithData(b, DataKind::integers, 2, 1);
        fillWithData(bias, DataKind::integers, 3, 1);
        std::vector<double> scalars = {0, 0, 0, 0.5};
        auto reference = evaluateReference(kernel, {{"M", m}, {"N", n}, {"K", k}}, scalars,
                                           {&a, &b, &bias, nullptr}, 2);
        ASSERT_TRUE(bool(reference)) << llvm::toString(reference.takeError());
        Arguments arguments;
        for (const std::string &dim : kernel.dimensions)
          arguments.dims.push_back(dim == "M" ? m : dim == "N" ? n : k);
        arguments.scalars.assign(scalars.begin(), scalars.end());
        arguments.tensors = {a.data(), b.data(), bias.data(), nullptr};
        arguments.results = {c.data()};
        for (size_t number = 0; number < variants.size(); ++number) {
          if (!takesAllSamples() && (m + n + k + number) % 2 != 0)
            continue;
          Variant &variant = variants[number];
          c.poison();
          std::unique_ptr<KernelWatch> watch;
          if (setting.watched)
            watch = llvm::cantFail(KernelWatch::create(
                *variant.module->getOps<aicore::KernelOp>().begin(), machine, arguments.dims));
          llvm::Error error = variant.executable->run(arguments, 2, watch.get());
          ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
          if (watch)
            ASSERT_TRUE(watch->report().faults.empty())
                << variant.name << " at " << m << "," << n << "," << k << ": "
                << watch->report().faults[0].message;
          ASSERT_TRUE(c.canariesIntact()) << variant.name << " at " << m << "," << n << "," << k;
          Comparison comparison = compare(c, (*reference)[0], 0, 0, 0, 1);
          ASSERT_TRUE(comparison.passed)
              << variant.name << " at " << m << "," << n << "," << k << ": " << comparison.wrong
              << " wrong, the first at " << comparison.firstWrong[0] << ","
              << comparison.firstWrong[1] << ": got " << comparison.firstGot << ", expected "
              << comparison.firstExpected;
          ++checked;
        }
      }
  const auto all = static_cast<int64_t>(tried.size() * tried.size() * tried.size() * 16);
  EXPECT_EQ(checked, takesAllSamples() ? all : all / 2);
}

INSTANTIATE_TEST_SUITE_P(split, Matrix,
                         testing::Values(Setting{"ascend910b3", "f16", "f32"},
                                         Setting{"ascend910b3", "f16", "f16"},
                                         Setting{"ascend910b3", "f32", "f32"},
                                         Setting{"ascend910b3", "f32", "f16"}));
INSTANTIATE_TEST_SUITE_P(coupled, Matrix,
                         testing::Values(Setting{"ascend310p3", "f16", "f32"},
                                         Setting{"ascend310p3", "f16", "f16"}));
INSTANTIATE_TEST_SUITE_P(host, Matrix,
                         testing::Values(Setting{"host", "f16", "f32"},
                                         Setting{"host", "f32", "f16"}));

INSTANTIATE_TEST_SUITE_P(watched, Matrix,
                         testing::Values(Setting{"ascend910b3", "f16", "f32", true},
                                         Setting{"ascend310p3", "f16", "f16", true},
                                         Setting{"host", "f32", "f16", true}));

} // namespace
} // namespace mmk
