// The emulated memories: a write beyond one of them is detected.
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

std::string ranWith(PhaseFunction phase, const Machine &chip = machine(), int64_t global = 512) {
  EmulatedCores cores(chip, 2, global);
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

TEST(EmulatedCores, SeeWhatIsWrittenToAMemoryThatThereIsNot) {
  Machine chip = machine();
  for (Memory memory : {Memory::l1, Memory::bt, Memory::ub})
    chip.memories.erase(memory);
  EXPECT_EQ(ranWith([](const KernelArguments *, const CoreMemories *) {}, chip, 0), "");
  for (PhaseFunction phase :
       {+[](const KernelArguments *, const CoreMemories *core) { core->memory[memoryGm][0] = 1; },
        +[](const KernelArguments *, const CoreMemories *core) {
          core->memory[memoryL1][255] = 1;
        }})
    EXPECT_EQ(ranWith(phase, chip, 0),
              "the generated program wrote beyond the block's global memory");
  for (PhaseFunction phase :
       {+[](const KernelArguments *, const CoreMemories *core) { core->memory[memoryBt][0] = 1; },
        +[](const KernelArguments *, const CoreMemories *core) {
          core->memory[memoryUb][core->ubStride] = 1;
        }})
    EXPECT_EQ(ranWith(phase, chip, 0), "the generated program wrote beyond L0C");
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
