// Kernels that wait for memory alone, against what memory allows: whatever their form, they take
// the time of their bytes.
#include "choose/chooser.h"
#include "runtime/clock.h"
#include "runtime/global_memory.h"
#include "tests/unit/checked.h"
#include "tests/unit/samples.h"

#include <gtest/gtest.h>

#include <random>

namespace mmk {
namespace {

/// Each reads one tensor once and writes one of the same size: elementwise and rows. A transpose of
/// some shapes takes its instructions longer.
const char *const bodies[] = {"y: f32[M, N] { y = x * 2; }", "y: f32[M, N] { y = x - max[N](x); }",
                              "y: f32[M, N] { y = softmax[N](x); }"};

int64_t cyclesOf(const char *body, const std::vector<int64_t> &dims, const std::string &name) {
  const Checked checked(std::string("kernel k(x: f32[M, N]) -> ") + body);
  EXPECT_TRUE(checked.isSound()) << checked.messages();
  const Machine machine = llvm::cantFail(loadMachine(name));
  Compiler compiler(*checked.program, machine);
  const auto chosen = Chooser(compiler, checked.kernel(), machine, {}).choose(dims);
  EXPECT_TRUE(chosen);
  return chosen ? chosen->cycles - taskCycles(machine) : 0;
}

TEST(MemoryBound, EveryFormTakesTheTimeOfItsBytes) {
  std::mt19937 random(11);
  for (const char *name : {"ascend910b2", "ascend950pr", "ascend310p3"}) {
    const Machine machine = llvm::cantFail(loadMachine(name));
    for (int sample = 0; sample < samplesOf(4); ++sample) {
      // From 4 to 8 times L2, both tensors together.
      const int64_t columns = 1024 * (2 + random() % 7),
                    rows = machine.l2Bytes / (columns * 8) * (16 + random() % 17) / 4;
      const double bytes = static_cast<double>(rows) * columns * 4,
                   least = hbmCycles(machine, bytes, bytes);
      SCOPED_TRACE(std::string(name) + " " + std::to_string(rows) + "x" + std::to_string(columns));
      int64_t fastest = INT64_MAX, slowest = 0;
      for (const char *body : bodies) {
        const int64_t cycles = cyclesOf(body, {rows, columns}, name);
        EXPECT_GE(static_cast<double>(cycles), least) << body;
        fastest = std::min(fastest, cycles);
        slowest = std::max(slowest, cycles);
        const double twice = static_cast<double>(cyclesOf(body, {2 * rows, columns}, name));
        EXPECT_NEAR(twice / static_cast<double>(cycles), 2, 0.1) << body;
      }
      EXPECT_LE(static_cast<double>(slowest), 1.03 * static_cast<double>(fastest));
    }
  }
}

} // namespace
} // namespace mmk
