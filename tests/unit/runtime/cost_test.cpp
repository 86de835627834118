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

// As in the vendor's simulator: leaky relu on 4096 f32 in 86 cycles.
TEST(Cost, VectorInstructions) {
  const Machine machine = load("ascend910b3");
  EXPECT_EQ(vectorCost(machine, "leaky_relu").cycles(0, 4096), 86);
  EXPECT_EQ(vectorCost(machine, "add").cycles(0, 1000), 57); // 24 + 33
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
  // Over a period of 256 rows that start at every second byte.
  const int64_t odd = charge.bytes(256, 0, 1026, 512, 512);
  EXPECT_GT(odd, 256 * 600);
  EXPECT_LT(odd, 256 * 800);
  EXPECT_EQ(charge.bytes(512, 0, 1026, 512, 512), 2 * odd);
}

TEST(GlobalMemory, ARowInsideOfARequestIsSplit) {
  EXPECT_EQ(requestsOfRow(2, 512, 0), 1); // where rows are not split
  EXPECT_EQ(requestsOfRow(128, 512, 128), 1);
  EXPECT_EQ(requestsOfRow(64, 512, 128), 5);
  EXPECT_EQ(requestsOfRow(64, 64, 128), 1);
  EXPECT_EQ(requestsOfRow(2, 512, 128), 10);
  EXPECT_EQ(requestsOfRow(2, 0, 128), 1);
  RowCharge charge;
  EXPECT_EQ(charge.requests(10, 0, 1026, 512, 512, 0), 10);
  EXPECT_EQ(charge.requests(10, 0, 1024, 512, 512, 128), 10);
  // Every second begins a request.
  EXPECT_EQ(charge.requests(10, 0, 8000, 512, 512, 128), 5 + 5 * 5);
  EXPECT_EQ(charge.requests(10, 2, 1024, 512, 512, 128), 100);
  // Of 64 offsets one begins a request, seven more are at multiples of 16 bytes.
  EXPECT_EQ(charge.requests(64, 0, 1026, 512, 512, 128), 1 + 7 * 5 + 56 * 10);
}

// Against each row of a period by itself.
TEST(GlobalMemory, RowsAreChargedTheMeanOfTheirPeriod) {
  for (int64_t packet : {512, 96, 6})
    for (int64_t distance : {1, 2, 6, 74, 96, 512, 1026, 4094, 8190})
      for (int64_t start : {0, 1, 30, 127, 128, 511})
        for (int64_t bytes : {0, 1, 31, 127, 128, 129, 384, 512, 513, 4094}) {
          RowCharge charge;
          const int64_t period = packet / std::gcd(distance, packet);
          int64_t sum = 0;
          for (int64_t row = 0; row < period; ++row)
            sum += chargedBytes(start + row * distance, bytes, packet);
          EXPECT_EQ(charge.bytes(period, start, distance, bytes, packet), sum)
              << packet << " " << distance << " " << start << " " << bytes;
        }
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
  EXPECT_FALSE(cache.use(5, 400)); // too large to stay, and evicts all others
  EXPECT_FALSE(cache.use(5, 400));
  EXPECT_FALSE(cache.use(1, 100));
}

struct GlobalMemoryTest : testing::Test {
  GlobalMemoryTest() {
    machine.megahertz = 1000;
    machine.hbmBytesPerSecond = 160e9; // 160 bytes a cycle
    machine.l2Bytes = 1000000;
    machine.l2BytesPerCycle = 100;
    link.bytesPerCycle = 80;
  }

  /// The transfers of eight cores in a round, each 8000 bytes; `sharers` of them the same.
  std::vector<Piece> round(int64_t sharers, uint64_t first = 0, bool isLoad = true) const {
    std::vector<Piece> pieces;
    for (uint64_t core = 0; core < 8; ++core) {
      pieces.push_back({first + core / sharers, 0, 8000, 8000, 8000 / 80, 20, 0, isLoad});
      pieces.back().core = static_cast<int32_t>(core);
    }
    return pieces;
  }
  static std::vector<Piece> ofWorkspace(std::vector<Piece> pieces) {
    for (Piece &piece : pieces)
      piece.staysInL2 = true;
    return pieces;
  }
  /// The same of vector cores, which are eight others.
  static std::vector<Piece> ofVectorCores(std::vector<Piece> pieces) {
    for (Piece &piece : pieces) {
      piece.ofVectorCore = true;
      piece.core += 8;
    }
    return pieces;
  }
  static std::vector<Piece> both(std::vector<Piece> pieces, const std::vector<Piece> &others) {
    pieces.insert(pieces.end(), others.begin(), others.end());
    return pieces;
  }
  int64_t load(const GlobalMemory &memory) const { return memory.load(link, 0).cycles(0, 8000); }

  Machine machine;
  Link link;
};

// 64000 bytes at 160 a cycle: each core has 20.
TEST_F(GlobalMemoryTest, WhatIsReadOnceComesFromHbm) {
  GlobalMemory memory(machine);
  memory.addRound(round(1));
  EXPECT_EQ(load(memory), 400);
}

TEST_F(GlobalMemoryTest, OneCoreIsAsFastAsItsPort) {
  GlobalMemory memory(machine);
  memory.addRound(llvm::ArrayRef(round(1)).take_front());
  EXPECT_EQ(load(memory), 100);
}

// A miss takes the core that waits for it longer than its port or HBM; a hit does not.
TEST_F(GlobalMemoryTest, OneCoreHasSoManyRequestsUnderWay) {
  machine.hbmCoreBytesPerCycle = 40;
  GlobalMemory memory(machine);
  const std::vector<Piece> pieces = round(8);
  memory.addRound(pieces);
  EXPECT_EQ(load(memory), 200); // all eight wait for the same fetch
  memory.addRound(pieces);
  EXPECT_EQ(load(memory), (200 + 100) / 2);
}

// Eight cores at even distances each fetch an eighth; if all are at the beginning, the first of
// them leads, and the others catch up with it.
TEST_F(GlobalMemoryTest, CoresAtOtherPlacesFetchForEachOther) {
  machine.hbmCoreBytesPerCycle = 40;
  for (const auto &[distance, cycles] : {std::pair(2, 100 + 100 / 8), {1, 100 + 100 * 9 / 16}}) {
    std::vector<Piece> pieces = round(8);
    for (size_t core = 0; core < pieces.size(); ++core) {
      pieces[core].place = core * distance;
      pieces[core].extent = 16;
    }
    GlobalMemory memory(machine);
    memory.addRound(pieces);
    EXPECT_EQ(load(memory), cycles);
  }
}

// Fetched once for all eight, in 50 cycles.
TEST_F(GlobalMemoryTest, WhatAllWantIsFetchedOnce) {
  GlobalMemory memory(machine);
  memory.addRound(round(8));
  EXPECT_EQ(load(memory), 100);
  GlobalMemory two(machine);
  two.addRound(round(2)); // 32000 bytes in 200 cycles
  EXPECT_EQ(load(two), 200);
}

// Eight cores at one line, with 20 accesses of 10 cycles each, are served one after the other; at
// different places of the piece they are not, and it is still fetched once.
TEST_F(GlobalMemoryTest, CoresAtOtherPlacesDoNotShareLines) {
  machine.l2LineCycles = 10;
  GlobalMemory together(machine);
  together.addRound(round(8));
  EXPECT_EQ(load(together), 8 * 20 * 10);
  std::vector<Piece> pieces = round(8);
  for (int64_t core = 0; core < 8; ++core)
    pieces[core].place = core;
  GlobalMemory apart(machine);
  apart.addRound(pieces);
  EXPECT_EQ(load(apart), 100);
}

// Eight cores read two sections of 32768 bytes each, of which the next core reads the second, too:
// nine are fetched, and later all are in L2.
TEST_F(GlobalMemoryTest, LinesOfPartsThatOverlapAreFetchedOnce) {
  constexpr int64_t section = 32768, port = 2 * section / 64, fetches = 9 * section / 128;
  machine.hbmBytesPerSecond = 128e9;
  link.bytesPerCycle = 64;
  std::vector<Piece> pieces;
  for (int64_t core = 0; core < 8; ++core)
    pieces.push_back({static_cast<uint64_t>(core), 0, 2 * section, 2 * section, port, 20, 0, true,
                      0, core * section, (core + 2) * section, static_cast<int32_t>(core)});
  const auto load = [&](const GlobalMemory &from) {
    return from.load(link, 0).cycles(0, 2 * section);
  };
  GlobalMemory memory(machine);
  memory.addRound(pieces);
  EXPECT_EQ(load(memory), fetches);
  memory.addRound(pieces);
  EXPECT_EQ(load(memory), (fetches + port) / 2);
  for (Piece &piece : pieces)
    piece.begin = piece.end = 0; // nothing in common
  GlobalMemory apart(machine);
  apart.addRound(pieces);
  EXPECT_EQ(load(apart), 16 * section / 128);
}

// The first of four rounds takes 400 cycles, the others the port's 100.
TEST_F(GlobalMemoryTest, WhatIsReadAgainComesFromL2) {
  GlobalMemory memory(machine);
  for (int i = 0; i < 4; ++i)
    memory.addRound(round(1));
  EXPECT_EQ(load(memory), (400 + 3 * 100) / 4);
}

TEST_F(GlobalMemoryTest, WhatL2LostComesFromHbmAgain) {
  machine.l2Bytes = 50000;
  GlobalMemory memory(machine);
  for (int i = 0; i < 4; ++i)
    memory.addRound(round(1));
  EXPECT_EQ(load(memory), 400);
}

// A core that reads its piece twice in a round waits for HBM in the first half.
TEST_F(GlobalMemoryTest, WhatIsReadAgainInARoundComesFromL2) {
  std::vector<Piece> pieces = round(1);
  for (Piece &piece : pieces)
    piece.distinct = 4000;
  GlobalMemory memory(machine);
  memory.addRound(pieces);
  EXPECT_EQ(load(memory), 200 + 50);
}

// 8000 bytes take HBM 400 cycles, and 100 rows of 3 cycles the port 300.
TEST_F(GlobalMemoryTest, HbmWorksWhileThePortIsBusyWithRows) {
  std::vector<Piece> pieces = round(1);
  for (Piece &piece : pieces)
    piece.portCycles = 300;
  link.rowCycles = 3;
  GlobalMemory memory(machine);
  memory.addRound(pieces);
  EXPECT_EQ(memory.load(link, 0).cycles(100, 8000), 400);
}

// The stored data fits L2, so HBM has no traffic.
TEST_F(GlobalMemoryTest, StoresEndInL2) {
  GlobalMemory memory(machine);
  memory.addRound(round(1, 100, /*isLoad=*/false));
  memory.addRound(round(1));
  EXPECT_EQ(load(memory), 400);
  EXPECT_EQ(memory.port(link).cycles(0, 8000), 100);
}

// Nothing that fits into L2 is written back by its task, and all from twice that on.
TEST_F(GlobalMemoryTest, WhatDoesNotFitIntoL2IsWrittenBack) {
  EXPECT_EQ(writtenBack(machine, 500000, 500000), 0);
  EXPECT_EQ(writtenBack(machine, 1000000, 500000), 0.5);
  EXPECT_EQ(writtenBack(machine, 1000000, 1000000), 1);
  EXPECT_EQ(writtenBack(machine, 0, 4000000), 1);
  machine.l2Bytes = 0;
  EXPECT_EQ(writtenBack(machine, 1, 1), 1);
}

// HBM gives 64000 bytes and takes 64000, or half of them, in the same round.
TEST_F(GlobalMemoryTest, WriteBacksTakeTimeOfHbm) {
  for (const auto &[part, cycles] : {std::pair(0.0, 400), {0.5, 600}, {1.0, 800}}) {
    GlobalMemory memory(machine, part);
    memory.addRound(both(round(1), round(1, 100, /*isLoad=*/false)));
    EXPECT_EQ(load(memory), cycles);
    EXPECT_EQ(memory.store(link, 0).cycles(0, 8000), 100);
  }
}

// What vector cores store takes HBM from the loads of cube cores.
TEST_F(GlobalMemoryTest, BothKindsOfCoresShareHbm) {
  GlobalMemory memory(machine, 1);
  memory.addRound(both(round(1), ofVectorCores(round(1, 100, /*isLoad=*/false))));
  EXPECT_EQ(load(memory), 800);
}

// Written data takes HBM longer than what is read, where the machine says so.
TEST_F(GlobalMemoryTest, HbmWritesAtItsOwnRate) {
  machine.hbmWriteBytesPerSecond = 80e9;
  GlobalMemory memory(machine, 1);
  memory.addRound(both(round(1), round(1, 100, /*isLoad=*/false)));
  EXPECT_EQ(load(memory), 400 + 800);
  EXPECT_EQ(hbmCycles(machine, 64000, 64000), 400 + 800);
}

// Where nothing is loaded, stores wait for the write-backs.
TEST_F(GlobalMemoryTest, StoresAloneWaitForWriteBacks) {
  GlobalMemory memory(machine, 1);
  for (uint64_t i = 0; i < 4; ++i)
    memory.addRound(round(1, 100 * i, /*isLoad=*/false));
  EXPECT_EQ(memory.store(link, 0).cycles(0, 8000), 400);
  EXPECT_EQ(memory.load(link, 0).cycles(0, 8000), 100);
}

// Two tensors that are loaded in one round, of which one hits: HBM works all the time.
TEST_F(GlobalMemoryTest, HitsLeaveHbmToTheOthers) {
  GlobalMemory memory(machine, 1);
  std::vector<Piece> hits = round(1, 200);
  for (Piece &piece : hits)
    piece.tensor = 1;
  memory.addRound(hits);
  memory.addRound(both(both(hits, round(1)), round(1, 100, /*isLoad=*/false)));
  EXPECT_EQ(load(memory), 800 - 100);
}

// A task that begins again finds what it has left; the time of the first is not counted.
TEST_F(GlobalMemoryTest, ATaskThatBeginsAgainFindsWhatItLeft) {
  GlobalMemory memory(machine);
  memory.addRound(round(1));
  memory.beginAgain();
  memory.addRound(round(1));
  EXPECT_EQ(load(memory), 100);
}

// All vector cores together load at a rate, hit or miss, and each waits for its own stores.
TEST_F(GlobalMemoryTest, VectorCoresShareTheirWay) {
  machine.l2VectorBytesPerSecond = 320e9; // 64000 bytes in 200 cycles
  GlobalMemory cube(machine), vector(machine), stores(machine);
  const std::vector<Piece> loads = ofWorkspace(round(1)),
                           stored = ofWorkspace(round(1, 100, /*isLoad=*/false));
  cube.addRound(loads);
  EXPECT_EQ(load(cube), 100);
  vector.addRound(ofVectorCores(loads));
  EXPECT_EQ(load(vector), 200);
  stores.addRound(ofVectorCores(both(loads, stored)));
  EXPECT_EQ(load(stores), 300);
  // Waiting for HBM, it stores.
  GlobalMemory missing(machine);
  missing.addRound(ofVectorCores(both(round(1), round(1, 100, /*isLoad=*/false))));
  EXPECT_EQ(load(missing), 400);
}

TEST_F(GlobalMemoryTest, ASmallWorkspaceStaysInL2) {
  GlobalMemory memory(machine);
  memory.addRound(ofWorkspace(round(1)));
  EXPECT_EQ(load(memory), 100);
}

// Eight cores on one line, whose 20 accesses take a cycle each: 160. Two are limited by their
// ports.
TEST_F(GlobalMemoryTest, CoresOnOneLineAreServedOneAfterTheOther) {
  machine.l2LineCycles = 1;
  GlobalMemory eight(machine), two(machine), none(machine);
  eight.addRound(round(8));
  EXPECT_EQ(load(eight), 160);
  two.addRound(ofWorkspace(round(2)));
  EXPECT_EQ(load(two), 100);
  none.addRound(ofWorkspace(round(1)));
  EXPECT_EQ(load(none), 100);
}

TEST_F(GlobalMemoryTest, L2LimitsWhatThePortCould) {
  link.bytesPerCycle = 200;
  EXPECT_EQ(GlobalMemory(machine).port(link).cycles(0, 8000), 80);
}

// Single instructions as they were measured or fitted, alone on the chip.
TEST(Measured, SingleInstructions) {
  const Machine machine = load("ascend910b1");
  const GlobalMemory memory(machine);
  auto transfer = [&](const char *link, int64_t rows, int64_t bytes) {
    return memory.port(machine.links.at(link)).cycles(rows, rows * bytes);
  };
  // The vendor's simulator: 64 KiB into UB in 1976 cycles, 32 rows of 512 bytes out of it in 373.
  EXPECT_NEAR(transfer("gm_ub", 128, 512), 1976, 20);
  EXPECT_NEAR(transfer("ub_gm", 32, 512), 373, 4);
  EXPECT_EQ(vectorCost(machine, "leaky_relu").cycles(0, 4096), 86);
  EXPECT_EQ(machine.flagCycles, 1);
  EXPECT_EQ(machine.launchMicroseconds, 20);
  // On one core of a matmul: base tiles of 64 rows of 128 bytes take 257, of 128 and 256 rows 1380.
  EXPECT_NEAR(transfer("gm_l1", 64, 128), 257, 1);
  EXPECT_NEAR(transfer("gm_l1", 128, 128) + transfer("gm_l1", 256, 128), 1380, 3);
  // Fits of single vector instructions.
  const std::pair<const char *, int64_t> fits[] = {
      {"relu", 87},        {"mul_scalar", 90}, {"mul", 173}, {"add_scalar", 95},
      {"add", 160},        {"exp", 159},       {"div", 289}, {"cast", 81},
      {"cast_narrow", 57}, {"select", 155},    {"max", 152}, {"reduce_sum", 495}};
  for (const auto &[name, cycles] : fits)
    EXPECT_EQ(vectorCost(machine, name).cycles(0, 4096), cycles) << name;
}

} // namespace
} // namespace mmk
