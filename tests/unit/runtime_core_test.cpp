// The emulated memories: a program that leaves one of them is seen, however it was made.
#include "runtime/core.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

Machine machine() { return llvm::cantFail(loadMachine("ascend910b3")); }

/// A plan by which both blocks have work.
KernelArguments arguments() {
  static const int64_t plan[planFields] = {2, 0};
  KernelArguments all{};
  all.plan = plan;
  return all;
}

std::string ranWith(PhaseFunction phase) {
  const Machine chip = machine();
  EmulatedCores cores(chip, 2, 512);
  return llvm::toString(cores.run(phase, arguments(), 1));
}

TEST(EmulatedCores, SeeWhatIsWrittenBeyondAMemory) {
  EXPECT_EQ(ranWith([](const KernelArguments *, const CoreMemories *) {}), "");
  EXPECT_EQ(ranWith([](const KernelArguments *, const CoreMemories *core) {
              core->memory[memoryL1][0] = 1; // within L1
            }),
            "");
  EXPECT_EQ(ranWith([](const KernelArguments *, const CoreMemories *core) {
              core->memory[memoryGm][-1] = 1;
            }),
            "the generated program wrote beyond the block's global memory");
  EXPECT_EQ(ranWith([](const KernelArguments *, const CoreMemories *core) {
              core->memory[memoryL0a][-256] = 1;
            }),
            "the generated program wrote beyond L1");
}

TEST(EmulatedCores, RunTheBlocksThatHaveWork) {
  const Machine chip = machine();
  EmulatedCores cores(chip, 2, 512);
  static int64_t ran;
  for (int64_t blocks : {0, 1, 2, 3}) {
    ran = 0;
    const int64_t plan[planFields] = {blocks, 0};
    KernelArguments all{};
    all.plan = plan;
    llvm::cantFail(cores.run(
        [](const KernelArguments *, const CoreMemories *core) { ran += 1 + core->block; }, all, 1));
    EXPECT_EQ(ran, blocks == 0 ? 0 : blocks == 1 ? 1 : 3) << blocks;
  }
}

TEST(EmulatedCores, KeepNothingOfAFailedRun) {
  const Machine chip = machine();
  EmulatedCores cores(chip, 2, 512);
  const auto bad = [](const KernelArguments *, const CoreMemories *core) {
    core->memory[memoryGm][-1] = 1;
  };
  const auto good = [](const KernelArguments *, const CoreMemories *) {};
  EXPECT_NE(llvm::toString(cores.run(bad, arguments(), 1)), "");
  EXPECT_EQ(llvm::toString(cores.run(good, arguments(), 1)), "");
}

} // namespace
} // namespace mmk
