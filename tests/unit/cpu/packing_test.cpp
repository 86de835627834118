// How the CPU shares a tile among threads, and which operands of a product it packs: both are seen
// in the memory that a run writes.
#include "runtime/threads.h"
#include "tests/unit/emitted.h"

#include "llvm/TargetParser/Host.h"

#include <limits>
#include <numeric>

namespace mmk {
namespace {

// For every number of rows, which are one with their columns, the shares of threads differ by at
// most a page of each tile; few elements are for one thread.
TEST(HostTiles, ofElementwiseWorkAreSharedEqually) {
  constexpr int64_t cores = 4;
  const Machine machine = llvm::cantFail(loadMachine("host", {{"cube_cores", "4"}}));
  const Phase ofRows(Emitted(llvm::cantFail(hostTarget()),
                             std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = x + 1; }"),
                             machine));
  const Phase ofOne(Emitted(llvm::cantFail(hostTarget()),
                            std::string("kernel k(x: f32[N]) -> y: f32[N] { y = x + 1; }"),
                            machine));
  auto sharesOf = [](const Phase &phase, int64_t rows, int64_t columns, bool isOne = false) {
    std::vector<float> x(rows * columns, 0), y(rows * columns, 0);
    const int64_t dims[] = {isOne ? rows * columns : rows, columns};
    const float scalars[] = {0, 0};
    void *tensors[] = {x.data(), y.data()};
    const int64_t dense[] = {isOne ? 1 : columns, 1}, *strides[] = {dense, dense};
    int64_t plan[mostOfPlan];
    phase.plan(dims, cores, plan);
    const KernelArguments arguments{dims, scalars, tensors, strides, plan};
    std::vector<int64_t> shares;
    for (int64_t block = 0; block < cores; ++block) {
      CoreMemories core{};
      core.block = block;
      phase.run(&arguments, &core);
      const int64_t done = std::ranges::count(y, 1.0f);
      shares.push_back(done - std::accumulate(shares.begin(), shares.end(), int64_t(0)));
    }
    return shares;
  };
  using Shares = std::vector<int64_t>;
  constexpr int64_t page = 4096;
  EXPECT_EQ(sharesOf(ofRows, 7, page), (Shares{7 * page, 0, 0, 0}));
  EXPECT_EQ(sharesOf(ofRows, 100, page), (Shares{26 * page, 26 * page, 26 * page, 22 * page}));
  EXPECT_EQ(sharesOf(ofRows, 192, page), (Shares{48 * page, 48 * page, 48 * page, 48 * page}));
  EXPECT_EQ(sharesOf(ofRows, 300, page), (Shares{75 * page, 75 * page, 75 * page, 75 * page}));
  EXPECT_EQ(sharesOf(ofRows, 3, 16 * page), (Shares{12 * page, 12 * page, 12 * page, 12 * page}));
  EXPECT_EQ(sharesOf(ofRows, 1, 33 * page), (Shares{9 * page, 9 * page, 9 * page, 6 * page}));
  EXPECT_EQ(sharesOf(ofRows, 60, 64), (Shares{60 * 64, 0, 0, 0}));
  EXPECT_EQ(sharesOf(ofRows, 0, 64), (Shares{0, 0, 0, 0}));
  EXPECT_EQ(sharesOf(ofOne, 33, page, true), (Shares{9 * page, 9 * page, 9 * page, 6 * page}));
  EXPECT_EQ(sharesOf(ofOne, 1, 100, true), (Shares{100, 0, 0, 0}));
}

/// Runs the kernel in memory of the test's own, and checks what was packed.
class Packing : public testing::Test {
protected:
  void run(int64_t m, int64_t n, int64_t k) { run<float>("f32", 1, m, n, k); }

  /// With all operands equal to `one`, 1 in that type.
  template <typename Element>
  void run(const char *type, Element one, int64_t m, int64_t n, int64_t k) {
    const Phase phase(Emitted(llvm::cantFail(hostTarget()), type));

    std::vector<Element> a(m * k, one), b(k * n, one);
    std::vector<float> bias(n, -1), c(m * n, 0);
    const int64_t dims[] = {m, k, n};
    const float scalars[] = {0, 0, 0};
    void *tensors[] = {a.data(), b.data(), bias.data(), c.data()};
    KernelArguments arguments{};
    arguments.dims = dims;
    arguments.scalars = scalars;
    arguments.tensors = tensors;
    const int64_t ofA[] = {k, 1}, ofB[] = {n, 1}, ofBias[] = {1}, ofC[] = {n, 1};
    const int64_t *strides[] = {ofA, ofB, ofBias, ofC};
    arguments.strides = strides;
    memory.assign(memories, std::vector<char>(size_t(8) << 20, poison));
    CoreMemories core{};
    for (unsigned i = 0; i < memories; ++i)
      core.memory[i] = memory[i].data();
    int64_t plan[mostOfPlan];
    phase.plan(dims, 8, plan);
    arguments.plan = plan;
    isAlone = plan[planSingleBlock] != 0;
    EXPECT_EQ(plan[planBlocks] == 1, isAlone);
    phase.run(&arguments, &core);
    EXPECT_EQ(c.front(), static_cast<float>(k - 1));
  }

  bool untouched(unsigned which) const {
    return std::ranges::all_of(memory[which], [](char byte) { return byte == poison; });
  }

  static constexpr char poison = 0x5a;
  std::vector<std::vector<char>> memory;
  bool isAlone = false;
};

TEST_F(Packing, smallProductsReadTheirOperandsInPlace) {
  for (int64_t size : {32, 64, 96}) {
    run(size, size, size);
    EXPECT_TRUE(untouched(memoryL0a)) << size;
    EXPECT_TRUE(untouched(memoryL0b)) << size;
  }
}

// Narrower elements are multiplied in less time, so a second thread saves less.
TEST_F(Packing, smallProductsAreDoneByOneThread) {
  const bool isOnly = availableThreads() == 1;
  run(32, 32, 32);
  EXPECT_TRUE(isAlone);
  run(64, 64, 64);
  EXPECT_EQ(isAlone, isOnly);
  run<int8_t>("i8", 1, 64, 64, 64);
  EXPECT_TRUE(isAlone);
  run<int8_t>("i8", 1, 96, 96, 96);
  EXPECT_EQ(isAlone, isOnly);
}

// For few rows, a B that is in a cache is not packed; for many rows it is, and so is a larger B.
TEST_F(Packing, manyRowsArePacked) {
  run(512, 128, 512);
  EXPECT_TRUE(untouched(memoryL0a));
  EXPECT_TRUE(untouched(memoryL0b));
  run(int64_t(2048) * availableThreads(), 64, 256);
  EXPECT_TRUE(untouched(memoryL0a));
  EXPECT_FALSE(untouched(memoryL0b));
  run(512, 512, 512);
  EXPECT_FALSE(untouched(memoryL0b));
}

TEST_F(Packing, aFewRowsReadBInPlace) {
  for (int64_t rows : {1, 3, 16}) {
    run(rows, 700, 900);
    EXPECT_TRUE(untouched(memoryL0b)) << rows;
  }
  if (!llvm::cantFail(hostTarget()).masks())
    return;
  for (int64_t columns : {6, 17, 31}) {
    run(5, columns, 900);
    EXPECT_TRUE(untouched(memoryL0b)) << columns;
  }
}

TEST_F(Packing, aFewColumnsReadAInPlace) {
  for (int64_t columns : {1, 3, 8}) {
    run(700, columns, 900);
    EXPECT_TRUE(untouched(memoryL0a)) << columns;
  }
}

// One or two register tiles gain nothing from sums in memory, while B is in a cache, or read in
// order.
TEST_F(Packing, wholeRegisterTilesAreNotSkinny) {
  const int64_t height = llvm::cantFail(hostTarget()).rows();
  for (auto [n, k] : {std::pair(256, 1000 / height), {48, 1500}}) {
    for (int64_t rows : {height, 2 * height}) {
      run(rows, n, k);
      EXPECT_TRUE(untouched(memoryL0a) && untouched(memoryL0b) && untouched(memoryL0c)) << rows;
    }
    run(height + 1, n, k);
    EXPECT_FALSE(untouched(memoryL0c));
  }
}

// Rows of B on consecutive lines are read in order, in place.
TEST_F(Packing, narrowBIsReadInPlace) {
  run(64, 64, 1900);
  EXPECT_TRUE(untouched(memoryL0b));
  run(64, 144, 1900);
  EXPECT_FALSE(untouched(memoryL0b));
}

TEST_F(Packing, rowsOfAAreReadInPlace) {
  run(128, 384, 512);
  EXPECT_TRUE(untouched(memoryL0a));
  EXPECT_FALSE(untouched(memoryL0b));
}

// A column after whole vectors is multiplied as a column, not as a vector of its own.
TEST_F(Packing, aLastColumnIsTakenApart) {
  const int64_t lanes = llvm::cantFail(hostTarget()).lanes, depth = 131;
  auto columnsPacked = [&] {
    const std::vector<char> &room = memory[memoryL0b];
    return (std::ssize(room) - std::ranges::count(room, poison)) / (4 * depth);
  };
  run(127, 128 + 1, depth);
  EXPECT_EQ(columnsPacked(), 1);
  run(127, 128 + lanes / 2, depth);
  EXPECT_GE(columnsPacked(), lanes);
}

// Rows that have to be widened are packed as many at a time as fit L1.
TEST_F(Packing, fewCallsPackWhatIsSmall) {
  constexpr uint16_t one = 0x3c00; // f16
  auto rowsPacked = [&](int64_t depth) {
    const int64_t row = depth * 4 + 64; // on lines that share no set of the cache
    int64_t rows = 0;
    while (memory[memoryL0a][rows * row] != poison)
      ++rows;
    return rows;
  };
  run<uint16_t>("f16", one, 32, 32, 32);
  EXPECT_EQ(rowsPacked(32), 32);
  run<uint16_t>("f16", one, 64, 64, 64);
  EXPECT_EQ(rowsPacked(64), 16);
  run<uint16_t>("f16", one, 64, 64, 300);
  EXPECT_EQ(rowsPacked(300), 8);
}

// Fewer rows than a register tile has would be read beyond their end.
TEST_F(Packing, fewRowsArePackedWhereTheirOperandsAreSmall) {
  run(1, 30, 40);
  EXPECT_FALSE(untouched(memoryL0a));
  EXPECT_TRUE(isAlone);
}

// No partial sum is stored between two passes along k while a block of B is deep enough.
TEST_F(Packing, sumsStayInRegistersOverTheWholeDepth) {
  run(64, 480, 300);
  EXPECT_TRUE(untouched(memoryL0c));
  EXPECT_FALSE(isAlone) << "enough for two threads";
}

// Packing for few rows reads long pieces of the rows of B, with partial sums between passes.
TEST_F(Packing, blocksForFewRowsAreWideRatherThanDeep) {
  run(64, 960, 1024);
  EXPECT_TRUE(untouched(memoryL0c));
  run(64, 960, 2048);
  EXPECT_FALSE(untouched(memoryL0c));
}

// Instructions that multiply groups along k also read the last, incomplete group of a row in place.
TEST_F(Packing, rowsThatEndWithinAGroupAreReadInPlace) {
  const CodeTarget target = llvm::cantFail(hostTarget());
  for (int64_t depth : {131, 132, 133, 134}) {
    if (target.hasVnni) {
      run<int8_t>("i8", 1, 127, 129, depth);
      EXPECT_TRUE(untouched(memoryL0a)) << depth;
    }
    if (target.usesBf16Dot) {
      run<uint16_t>("bf16", 0x3f80, 127, 129, depth);
      EXPECT_TRUE(untouched(memoryL0a)) << depth;
    }
  }
}

} // namespace
} // namespace mmk
