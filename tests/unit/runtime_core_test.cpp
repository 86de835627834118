// The emulated memories: a program that leaves one of them is seen, however it was made.
#include "runtime/core.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

Machine machine() { return llvm::cantFail(loadMachine("ascend910b3")); }

std::string ranWith(PhaseFunction phase) {
  const Machine chip = machine();
  EmulatedCores cores(chip, 2, 512);
  return llvm::toString(cores.run(phase, KernelArguments{}, 1));
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

TEST(EmulatedCores, KeepNothingOfAFailedRun) {
  const Machine chip = machine();
  EmulatedCores cores(chip, 2, 512);
  const auto bad = [](const KernelArguments *, const CoreMemories *core) {
    core->memory[memoryGm][-1] = 1;
  };
  const auto good = [](const KernelArguments *, const CoreMemories *) {};
  EXPECT_NE(llvm::toString(cores.run(bad, KernelArguments{}, 1)), "");
  EXPECT_EQ(llvm::toString(cores.run(good, KernelArguments{}, 1)), "");
}

} // namespace
} // namespace mmk
