// Split-K: however a reduction is split, the result is that of the reference to the bit where sums
// are exact, and the same on every run where they are not; the flags are proven and watched; and it
// is faster where few tiles have a long reduction.
#include "count/count.h"
#include "tests/unit/compiled.h"
#include "tests/unit/synchronised.h"

#include <algorithm>
#include <cstring>

namespace mmk {
namespace {

struct Case {
  const char *kernel;
  std::vector<std::string> machines;
};

const std::vector<std::string> everywhere = {"ascend910b3", "ascend310p3", "host"};

/// Epilogues of a product, and orders of its operands.
const Case cases[] = {
    {"kernel plain(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }", everywhere},
    {"kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.5) -> c: f32[M, N] {\n"
     "  c = leaky_relu(a @ b + bias, alpha); }",
     everywhere},
    {"kernel half(a: f16[M, K], b: f16[N, K]) -> c: f16[M, N] { c = a @ transpose(b); }",
     everywhere},
    {"kernel single(a: f32[K, M], b: f32[K, N]) -> c: f32[M, N] { c = transpose(a) @ b; }",
     {"ascend910b3", "host"}},
    {"kernel brain(a: bf16[M, K], b: bf16[K, N]) -> c: bf16[M, N] { c = a @ b; }",
     {"ascend910b3", "host"}},
    {"kernel whole(a: i8[M, K], b: i8[K, N], scale: f32[N]) -> c: f32[M, N], s: i32[M, N] {\n"
     "  let sum = a @ b; s = sum; c = sum * scale; }",
     everywhere},
    {"kernel batches(a: f16[B, 3, M, K], b: f16[1, 3, K, N], r: f32[M, 1]) -> c: f32[B, 3, M, N] "
     "{\n"
     "  c = a @ b + r; }",
     everywhere},
    {"kernel chain(a: f16[M, K], b: f16[K, N], d: f16[N, P]) -> c: f32[M, P] {\n"
     "  c = cast<f16>(relu(a @ b)) @ d; }",
     {"ascend910b3"}},
};

/// Splits, tiles and stages: with more splits than stages or tiles, mapped one by one and in a
/// grid.
const char *const variants[] = {
    "grid.K=2",
    "grid.K=5,tile.M=32,tile.N=48,tile.K=32,stage.K=64",
    "grid.K=64,tile.M=16,tile.N=16,tile.K=32,stage.K=32",
    "grid.K=3,tile.M=32,tile.N=32,l1=1,l0=1,out=1,ub=1",
    "grid.K=2,grid.M=2,grid.N=2,tile.M=16,tile.N=32,order=columns",
    "grid.K=4,cores=1,tile.M=64,fuse=none,ub=3",
    "grid.K=3,tile.M=32,tile.N=64,store=overlapped",
    "grid.K=2,tile.M=32,tile.N=32,acc=1,order=swizzle(2),store=overlapped",
};

class SplitReduction : public testing::TestWithParam<Case> {};

TEST_P(SplitReduction, isExact) {
  for (const std::string &machine : GetParam().machines)
    for (const char *variant : variants) {
      if (machine == "host" && std::string(variant).find("grid.M") != std::string::npos)
        continue; // the number of cores of this computer is unknown
      SCOPED_TRACE(machine + ": " + variant);
      Compiled compiled(GetParam().kernel, machine, variant);
      ASSERT_TRUE(compiled.ready());
      const int64_t extents[][4] = {{1, 1, 1, 1},     {16, 16, 64, 2},   {33, 49, 65, 2},
                                    {65, 31, 127, 1}, {17, 129, 321, 1}, {130, 257, 1000, 1}};
      for (auto [m, n, k, batches] : extents)
        compiled.expectRight({{"M", m}, {"N", n}, {"K", k}, {"P", 40}, {"B", batches}},
                             DataKind::integers);
    }
}

TEST_P(SplitReduction, isProvenAndWatched) {
  for (const std::string &machine : GetParam().machines) {
    if (machine == "host")
      continue;
    for (const char *variant : variants) {
      SCOPED_TRACE(machine + ": " + variant);
      Synchronised kernel(GetParam().kernel, machine, variant);
      ASSERT_TRUE(kernel.ready()) << kernel.messages;
      EXPECT_TRUE(kernel.isProven()) << kernel.messages;
      for (int64_t extent : {1, 33, 70}) {
        // Two batches differ from one; more take only time.
        std::vector<int64_t> extents;
        for (llvm::StringRef name : kernel.kernel().getDims().getAsValueRange<mlir::StringAttr>())
          extents.push_back(name == "B" ? std::min<int64_t>(extent, 2) : extent);
        EXPECT_EQ(kernel.watched(extents), "");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(kernels, SplitReduction, testing::ValuesIn(cases), [](const auto &info) {
  std::string name = info.param.kernel + strlen("kernel ");
  return name.substr(0, name.find('('));
});

// The partial sums are stored in memory; with a separate epilogue their sum is, too.
TEST(SplitReduction, saysWhatItAllocates) {
  const auto workspaces = [](const char *variant) {
    Synchronised kernel(cases[1].kernel, "ascend910b3", variant);
    EXPECT_TRUE(kernel.ready()) << kernel.messages;
    auto executable = llvm::cantFail(Executable::compile(kernel.module(), kernel.machine));
    std::vector<int64_t> bytes;
    for (const Workspace &workspace : executable->workspaces({100, 1000, 50})) // M, K, N
      bytes.push_back(workspace.bytes);
    return bytes;
  };
  EXPECT_EQ(workspaces("grid.K=1"), (std::vector<int64_t>{}));
  EXPECT_EQ(workspaces("grid.K=8,tile.K=64,stage.K=256"),
            (std::vector<int64_t>{int64_t(8) * 100 * 50 * 4}));
  EXPECT_EQ(workspaces("grid.K=2,tile.K=64,stage.K=256,fuse=none"),
            (std::vector<int64_t>{int64_t(2) * 100 * 50 * 4, int64_t(100) * 50 * 4}));
}

// Splits are added in their order, not in the order in which cores finish.
TEST(SplitReduction, isTheSameWithAnyThreads) {
  Compiled compiled("kernel k(a: f32[M, K], b: f32[K, N]) -> c: f32[M, N] { c = a @ b; }",
                    "ascend910b3", "grid.K=7,tile.M=32,tile.N=32");
  ASSERT_TRUE(compiled.ready());
  const std::map<std::string, int64_t> dims = {{"M", 70}, {"N", 90}, {"K", 3000}};
  const std::vector<Tensor> inputs = compiled.inputs(dims, DataKind::normal);
  const std::vector<Tensor> first = compiled.run(dims, inputs, {}, 1);
  for (unsigned threads : {1, 2, 3, 8}) {
    const std::vector<Tensor> again = compiled.run(dims, inputs, {}, threads);
    EXPECT_EQ(std::memcmp(first[0].data(), again[0].data(), 70 * 90 * sizeof(float)), 0);
  }
}

/// Without the fixed cost of a task, which splits make no difference to.
int64_t cyclesOf(const std::string &machine, const std::string &variant,
                 std::vector<int64_t> dims) {
  Synchronised kernel("kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {\n"
                      "  c = relu(a @ b + bias); }",
                      machine, variant);
  EXPECT_TRUE(kernel.ready()) << kernel.messages;
  const ClockReport report = llvm::cantFail(countKernel(kernel.kernel(), kernel.machine, dims));
  return report.cycles - report.taskCycles;
}

// Two tiles keep two of twenty cores busy, and their splits all of them.
TEST(SplitReduction, paysWhereTilesAreFew) {
  const std::vector<int64_t> deep = {256, 16384, 256};
  const std::string tile = "tile=128x256x64";
  EXPECT_LT(4 * cyclesOf("ascend910b3", "grid.K=8," + tile, deep),
            cyclesOf("ascend910b3", tile, deep));
  // There the operands alone take most of the time.
  EXPECT_LT(5 * cyclesOf("ascend310p3", "grid.K=4," + tile, deep),
            4 * cyclesOf("ascend310p3", tile, deep));
}

// A reduction that is too short has fewer splits: nothing is read for missing ones, and no core
// waits for them.
TEST(SplitReduction, costsNothingForPartsThatDoNotExist) {
  const std::vector<int64_t> shallow = {256, 128, 256};
  EXPECT_EQ(cyclesOf("ascend910b3", "grid.K=2", shallow),
            cyclesOf("ascend910b3", "grid.K=16", shallow));
}

} // namespace
} // namespace mmk
