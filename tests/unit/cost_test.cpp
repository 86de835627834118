// What instructions cost, against figures worked out by hand from the machine descriptions.
#include "runtime/cost.h"
#include "runtime/global_memory.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

Machine load(const char *name) {
  auto machine = loadMachine(name);
  EXPECT_TRUE(static_cast<bool>(machine));
  return *machine;
}

TEST(Cost, IsRoundedUpOnce) {
  EXPECT_EQ(Cost(10, 0.25, 0.125).cycles(1, 0), 11);
  EXPECT_EQ(Cost(10, 0.25, 0.125).cycles(1, 2), 11); // 10 + 0.25 + 0.25
  EXPECT_EQ(Cost(10, 0.25, 0.125).cycles(4, 8), 12);
  EXPECT_EQ(Cost(10.5, 0, 0).cycles(7, 7), 11);
  EXPECT_EQ(Cost().cycles(7, 7), 0);
}

// 1/33.6 has no end in binary; 33600 bytes are 1000 cycles all the same.
TEST(Cost, TheRoundingOfAFigureIsNoCycle) {
  for (int64_t bytes = 33600; bytes <= 33600 * 100; bytes += 33600)
    EXPECT_EQ(Cost(0, 0, 1 / 33.6).cycles(0, bytes), bytes / 33600 * 1000);
  EXPECT_EQ(Cost(0, 0, 1 / 33.6).cycles(0, 33601), 1001);
}

TEST(Cost, AnAbsurdFigureDoesNotOverflow) {
  EXPECT_GT(Cost(1e30, 1e30, 1e30).cycles(4096, 1 << 20), 0);
}

TEST(Cost, MatrixInstructions) {
  const Machine machine = load("ascend910b3");
  // Startup 20. f16: 16x16x16 a cycle. f32: 16x16x8 are 2048 products at 1024 a cycle.
  EXPECT_EQ(productCost(machine, ElementType::f16).cycles(0, 8 * 16 * 4), 20 + 512);
  EXPECT_EQ(productCost(machine, ElementType::i8).cycles(0, 100), 120);
  EXPECT_EQ(productCost(machine, ElementType::f32).cycles(0, 100), 220);
}

// As the vendor's simulator has it: leaky relu on 4096 f32 in 86 cycles.
TEST(Cost, VectorInstructions) {
  const Machine machine = load("ascend910b3");
  EXPECT_EQ(vectorCost(machine, "leaky_relu").cycles(0, 4096), 86);
  EXPECT_EQ(vectorCost(machine, "add").cycles(0, 1000), 44); // 23.2 + 20.6
}

TEST(GlobalMemory, PacketsAreWholeHalfOrAQuarter) {
  EXPECT_EQ(chargedBytes(0, 512), 0);
  EXPECT_EQ(chargedBytes(1, 512), 128);
  EXPECT_EQ(chargedBytes(128, 512), 128);
  EXPECT_EQ(chargedBytes(129, 512), 256);
  EXPECT_EQ(chargedBytes(257, 512), 512);
  EXPECT_EQ(chargedBytes(512, 512), 512);
  EXPECT_EQ(chargedBytes(1300, 512), 1536);
}

struct GlobalMemoryTest : testing::Test {
  GlobalMemoryTest() {
    machine.megahertz = 1000;
    machine.hbmBytesPerSecond = 160e9; // 160 bytes a cycle
    machine.l2Bytes = 1000000;
    machine.l2BytesPerCycle = 100;
    machine.vectorCoresPerCube = 2;
    link.bytesPerCycle = 80;
  }
  Machine machine;
  Link link;
};

TEST_F(GlobalMemoryTest, WhatIsReadOnceComesFromHbm) {
  // Eight cores: 20 bytes a cycle each. One core: as fast as its port.
  const TensorTraffic once{.bytes = 8000, .loaded = 8000};
  EXPECT_EQ(GlobalMemory(machine, 8, {once}).load(link, 0, false).cycles(0, 8000), 400);
  EXPECT_EQ(GlobalMemory(machine, 8, {once}).load(link, 0, true).cycles(0, 8000), 800);
  EXPECT_EQ(GlobalMemory(machine, 1, {once}).load(link, 0, false).cycles(0, 8000), 100);
}

TEST_F(GlobalMemoryTest, WhatIsReadAgainComesFromL2) {
  // A quarter from HBM at 20, the rest at the port's 80.
  const TensorTraffic again{.bytes = 8000, .loaded = 32000};
  EXPECT_EQ(GlobalMemory(machine, 8, {again}).load(link, 0, false).cycles(0, 8000), 100 + 75);
}

TEST_F(GlobalMemoryTest, StoresTakeTimeOfHbm) {
  const TensorTraffic in{.bytes = 8000, .loaded = 8000}, out{.bytes = 8000, .stored = 8000};
  const GlobalMemory memory(machine, 8, {in, out});
  EXPECT_EQ(memory.load(link, 0, false).cycles(0, 8000), 800);
  EXPECT_EQ(memory.throughL2(link).cycles(0, 8000), 100);
}

TEST_F(GlobalMemoryTest, ASmallWorkspaceStaysInL2) {
  const TensorTraffic small{.bytes = 8000, .workspace = true, .loaded = 8000, .stored = 8000};
  TensorTraffic large = small;
  large.bytes = large.loaded = large.stored = 2000000;
  EXPECT_EQ(GlobalMemory(machine, 8, {small}).load(link, 0, false).cycles(0, 8000), 100);
  EXPECT_EQ(GlobalMemory(machine, 8, {large}).load(link, 0, false).cycles(0, 8000), 800);
}

TEST_F(GlobalMemoryTest, L2LimitsWhatThePortCould) {
  link.bytesPerCycle = 200;
  EXPECT_EQ(GlobalMemory(machine, 8, {}).throughL2(link).cycles(0, 8000), 80);
}

} // namespace
} // namespace mmk
