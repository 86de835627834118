// A tile that is left to the shape: hardly slower than the largest one, and much faster where that
// leaves cores without work; and it fits machines with less of every memory.
#include "count/count.h"
#include "tests/unit/synchronised.h"

namespace mmk {
namespace {

const char *const fused = "kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {\n"
                          "  c = relu(a @ b + bias); }";

ClockReport count(const std::string &variant, std::vector<int64_t> dims,
                  const std::string &machine = "ascend910b3") {
  Synchronised kernel(fused, machine, variant);
  EXPECT_TRUE(kernel.ready()) << kernel.messages;
  Machine withoutTask = kernel.machine;
  withoutTask.taskMicroseconds = 0;
  withoutTask.mixedTask = {};
  withoutTask.crossFlagCycles = 0; // as fixed a cost, of few tiles
  return llvm::cantFail(countKernel(kernel.kernel(), withoutTask, dims));
}

const std::string largest = "tile=128x256x64";

// Dimensions are M, K, N, in the order of the parameters.
TEST(FitTile, IsHardlySlower) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1, 1, 1},          {1, 256, 640},     {16, 4096, 4096}, {100, 640, 5000},
      {300, 300, 300},    {512, 768, 3072},  {1000, 301, 513}, {1024, 1024, 1024},
      {2048, 2048, 2048}, {3000, 640, 200},  {4096, 512, 16},  {4096, 4096, 1024},
      {129, 64, 257},     {1024, 1024, 512}, {77, 320, 640},   {640, 640, 640},
  };
  for (const auto &dims : shapes)
    EXPECT_LE(count("", dims).cycles, 1.08 * count(largest, dims).cycles)
        << dims[0] << "," << dims[2] << "," << dims[1];
}

TEST(FitTile, KeepsCoresBusyWhereTilesAreFew) {
  struct {
    std::vector<int64_t> dims;
    int64_t before, now;
    double least; ///< times as fast
  } const shapes[] = {
      {{512, 512, 128}, 4, 16, 1.4}, {{64, 64, 64}, 1, 4, 1.5},       {{1, 256, 640}, 3, 5, 1.4},
      {{300, 300, 300}, 6, 20, 2.4}, {{256, 16384, 256}, 2, 16, 1.6},
  };
  for (const auto &shape : shapes) {
    const ClockReport before = count(largest, shape.dims), now = count("", shape.dims);
    EXPECT_EQ(before.cores, shape.before);
    EXPECT_EQ(now.cores, shape.now);
    EXPECT_LE(shape.least * now.cycles, before.cycles) << shape.dims[0];
  }
}

// The printed name says that it fits, and is parsed.
TEST(FitTile, HasAName) {
  const std::string name = "tile=autoxautox64";
  EXPECT_EQ(count(name, {512, 512, 128}).cycles, count("", {512, 512, 128}).cycles);
  EXPECT_EQ(count("tile.M=auto,tile.N=256", {512, 512, 128}).cycles,
            count("tile.N=256", {512, 512, 128}).cycles);
}

// On a machine with less, the largest tile is smaller.
TEST(FitTile, FitsSmallMemories) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  auto program = checkProgram("test.mmk", fused, diagnostics, file);
  ASSERT_TRUE(program);
  for (const char *memory : {"l1", "l0a", "l0b", "l0c", "ub"}) {
    const std::string path = std::string("memories.") + memory + ".bytes";
    const Machine machine = llvm::cantFail(loadMachine("ascend910b3", {{path, "*0.25"}}));
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = lowerToIr(*program->kernels[0], machine.name, context);
    EXPECT_TRUE(succeeded(runPipeline(*module, machine, LoweringLevel::aicore))) << path;
  }
}

} // namespace
} // namespace mmk
