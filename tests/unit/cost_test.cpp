// What instructions cost, against figures worked out by hand from the machine descriptions.
#include "runtime/cost.h"
#include "runtime/global_memory.h"
#include "runtime/l2.h"
#include "runtime/packets.h"

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
  EXPECT_EQ(Cost(10, 0.25, 0.125).cycles(4, 8), 11); // the rows' 1 hides the bytes' 1
  EXPECT_EQ(Cost(10, 0.25, 0.125).cycles(4, 9), 12);
  EXPECT_EQ(Cost(10, 0.25, 0.125).cycles(5, 8), 12);
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
  EXPECT_EQ(chargedBytes(0, 0, 512), 0);
  EXPECT_EQ(chargedBytes(0, 1, 512), 128);
  EXPECT_EQ(chargedBytes(0, 128, 512), 128);
  EXPECT_EQ(chargedBytes(0, 129, 512), 256);
  EXPECT_EQ(chargedBytes(0, 257, 512), 512);
  EXPECT_EQ(chargedBytes(0, 512, 512), 512);
  EXPECT_EQ(chargedBytes(0, 1300, 512), 1536);
}

TEST(GlobalMemory, APieceThatStartsInsideOfAPacketTouchesOneMore) {
  EXPECT_EQ(chargedBytes(512, 512, 512), 512);
  EXPECT_EQ(chargedBytes(384, 128, 512), 128);
  EXPECT_EQ(chargedBytes(400, 128, 512), 128 + 128);
  EXPECT_EQ(chargedBytes(2, 512, 512), 512 + 128);
  EXPECT_EQ(chargedBytes(256, 512, 512), 256 + 256);
  EXPECT_EQ(chargedBytes(100, 1300, 512), 512 + 512 + 512);
}

TEST(GlobalMemory, RowsStartWhereTheirDistancePutsThem) {
  RowCharge charge;
  EXPECT_EQ(charge.bytes(10, 0, 1024, 512, 512), 10 * 512);
  EXPECT_EQ(charge.bytes(10, 256, 1024, 512, 512), 10 * 512);
  EXPECT_EQ(charge.bytes(10, 0, 256 + 1024, 512, 512), 10 * 512);
  EXPECT_EQ(charge.bytes(4, 0, 128, 256, 512), 256 + 256 + 256 + 128 + 128);
  // Over a turn of 256 rows that start at every second byte.
  const int64_t odd = charge.bytes(256, 0, 1026, 512, 512);
  EXPECT_GT(odd, 256 * 600);
  EXPECT_LT(odd, 256 * 800);
  EXPECT_EQ(charge.bytes(512, 0, 1026, 512, 512), 2 * odd);
}

TEST(L2, KeepsWhatWasUsedLast) {
  L2 cache(300);
  EXPECT_FALSE(cache.use(1, 100));
  EXPECT_FALSE(cache.use(2, 100));
  EXPECT_FALSE(cache.use(3, 100));
  EXPECT_TRUE(cache.use(1, 100));
  EXPECT_FALSE(cache.use(4, 100)); // in place of 2
  EXPECT_TRUE(cache.use(1, 100));
  EXPECT_TRUE(cache.use(3, 100));
  EXPECT_FALSE(cache.use(2, 100));
  EXPECT_FALSE(cache.use(5, 400)); // too large to stay, and pushes all others out
  EXPECT_FALSE(cache.use(5, 400));
  EXPECT_FALSE(cache.use(1, 100));
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

TEST_F(GlobalMemoryTest, WhatL2LostComesFromHbmAgain) {
  const TensorTraffic lost{.bytes = 8000, .loaded = 32000, .missed = 16000};
  EXPECT_EQ(GlobalMemory(machine, 8, {lost}).load(link, 0, false).cycles(0, 8000), 200 + 50);
}

// 8000 bytes take HBM 400 cycles at 20 bytes a cycle, and 100 rows of 3 cycles the port 300.
TEST_F(GlobalMemoryTest, HbmWorksWhileThePortIsBusyWithRows) {
  link.rowCycles = 3;
  const TensorTraffic once{.bytes = 8000, .loaded = 8000};
  EXPECT_EQ(GlobalMemory(machine, 8, {once}).load(link, 0, false).cycles(100, 8000), 400);
  EXPECT_EQ(GlobalMemory(machine, 8, {once}).load(link, 0, false).cycles(50, 8000), 400);
  EXPECT_EQ(GlobalMemory(machine, 8, {once}).load(link, 0, false).cycles(200, 8000), 600);
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
