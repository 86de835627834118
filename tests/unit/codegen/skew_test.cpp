// `skew = stages`: for every start stage of a core, the results equal the reference to the bit
// where sums are exact, flags are proven and watched, all data is still fetched once, and cores
// that share lines no longer wait for each other.
#include "count/count.h"
#include "tests/unit/compiled.h"
#include "tests/unit/synchronised.h"

namespace mmk {
namespace {

const char *const kernels[] = {
    "kernel plain(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }",
    "kernel fused(a: f16[M, K], b: f16[N, K], bias: f32[N], alpha: f32 = 0.5) -> c: f32[M, N] {\n"
    "  c = leaky_relu(a @ transpose(b) + bias, alpha); }",
};

// With whole stages and ragged ones, which then come in the middle; with the other directives that
// depend on the first or last stage of a product.
const char *const variants[] = {
    "skew=stages",
    "skew=stages,cores=5,tile=32x48x32,stage=64",
    "skew=stages,cores=3,tile=16x32x32,stage=32,l1=3,l0=1,acc=2,store=overlapped",
    "skew=stages,cores=4,tile=32x64x32,stage=64,acc=1,store=overlapped",
    "skew=stages,cores=4,tile=32x32x32,stage=64,keep=A(512),order=rows",
    "skew=stages,tile=32x32x32,stage=64,grid.K=3",
    "skew=stages,cores=2,tile=32x48x32,stage=64,bias=table,store=overlapped",
};

bool isFor(const std::string &kernel, const std::string &machine, const std::string &variant) {
  const bool needsTable = variant.find("bias=table") != std::string::npos;
  return !needsTable || (machine == "ascend910b3" && kernel.find("bias") != std::string::npos);
}

TEST(Skew, IsExact) {
  for (const char *kernel : kernels)
    for (const char *machine : {"ascend910b3", "ascend310p3"})
      for (const char *variant : variants) {
        if (!isFor(kernel, machine, variant))
          continue;
        SCOPED_TRACE(std::string(machine) + ": " + variant);
        Compiled compiled(kernel, machine, variant);
        ASSERT_TRUE(compiled.ready());
        const int64_t extents[][3] = {{1, 1, 1},     {16, 16, 64},   {33, 49, 65},
                                      {65, 31, 127}, {17, 129, 321}, {130, 257, 384}};
        for (auto [m, n, k] : extents)
          compiled.expectRight({{"M", m}, {"N", n}, {"K", k}}, DataKind::integers);
      }
}

TEST(Skew, IsProvenAndWatched) {
  for (const char *text : kernels)
    for (const char *machine : {"ascend910b3", "ascend310p3"})
      for (const char *variant : variants) {
        if (!isFor(text, machine, variant))
          continue;
        SCOPED_TRACE(std::string(machine) + ": " + variant);
        Synchronised kernel(text, machine, variant);
        ASSERT_TRUE(kernel.ready()) << kernel.messages;
        EXPECT_TRUE(kernel.isProven()) << kernel.messages;
        for (int64_t extent : {1, 33, 70, 130})
          EXPECT_EQ(kernel.watched({extent, extent, extent}), "");
      }
}

// Sixteen tiles in a row: as many cores read the same rows of A.
TEST(Skew, SparesWaitsForLines) {
  auto cycles = [](const char *variant, std::vector<MachineOverride> overrides = {}) {
    Synchronised kernel(kernels[0], "ascend910b3",
                        std::string("tile=128x256x64,stage=256,l1=2,l0=2,order=rows,") + variant);
    EXPECT_TRUE(kernel.ready()) << kernel.messages;
    const Machine machine = llvm::cantFail(loadMachine("ascend910b3", overrides));
    return llvm::cantFail(countKernel(kernel.kernel(), machine, {4096, 1024, 4096})).cycles;
  };
  EXPECT_LT(cycles("skew=stages"), 0.97 * cycles("skew=none"));
  // Without contention for lines, or for a core's requests, it costs nothing: every byte still
  // comes from HBM once.
  const std::vector<MachineOverride> freeLines = {{"l2.line_cycles", "0"},
                                                  {"hbm.core_bytes_per_cycle", "1000"}};
  EXPECT_NEAR(cycles("skew=stages", freeLines), cycles("skew=none", freeLines),
              0.01 * cycles("skew=none", freeLines));
}

} // namespace
} // namespace mmk
