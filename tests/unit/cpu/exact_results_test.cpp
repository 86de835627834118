// Results of products on this CPU and on older ones, exact on integers: ragged ends in each type,
// and each code path.
#include "tests/unit/emitted.h"

#include "llvm/TargetParser/Host.h"

namespace mmk {
namespace {

/// A constant B or A, in one tile and in several that begin within a panel.
template <typename Element>
void expectExactConstants(CodeTarget target, const char *type, const char *ofB = "const ",
                          const char *ofA = "") {
  for (const char *schedule : {"", "schedule { tile M = 64, N = 80, K = 32; stage K = 32; }"}) {
    CodeTarget own = llvm::cantFail(
        targetFor(llvm::Triple(llvm::sys::getProcessTriple()), target.cpu, target.features));
    own.usesBf16Dot = target.usesBf16Dot;
    mmk::expectExact<Element>(std::move(own), type, nullptr, schedule, ofB, ofA);
  }
}
template <typename Element> void expectExactLeftConstants(CodeTarget target, const char *type) {
  expectExactConstants<Element>(std::move(target), type, "", "const ");
}

/// Depths up to several groups of each kind, in one pass along k and in more; rows and columns
/// about a register tile and a vector.
template <typename Element> void expectExactEnds(const char *type) {
  using Page = hunt::Guarded::Page;
  for (const char *schedule : {"", "schedule { tile M = 64, N = 80, K = 32; stage K = 32; }"}) {
    Runnable kernel(Emitted(llvm::cantFail(hostTarget()), fusedKernel(type, schedule)), nullptr);
    for (int64_t k : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 34, 35, 36, 37})
      for (int64_t m : {7, 8, 13})
        for (int64_t n : {15, 16, 17, 50})
          for (unsigned turned = 0; turned < 4; ++turned)
            for (Page page : {Page::behind, Page::before})
              expectExactAt<Element>(kernel, type, m, n, k, turned, page);
  }
}
TEST(ThisCpu, endsOfBytesAreExact) { expectExactEnds<int8_t>("i8"); }
TEST(ThisCpu, endsOfBf16AreExact) { expectExactEnds<Bf16>("bf16"); }

// Few rows whose last register tile would compute some of them again: tiles have a row less, in
// place and packed, with B of one and of several passes.
template <typename Element> void expectExactLowerTiles(const char *type, const char *constant) {
  using Page = hunt::Guarded::Page;
  for (const char *schedule : {"", "schedule { tile M = 64, N = 80, K = 32; stage K = 32; }"}) {
    Runnable kernel(Emitted(llvm::cantFail(hostTarget()), fusedKernel(type, schedule, constant)),
                    nullptr);
    for (int64_t m : {17, 20, 21, 49, 62, 63, 64, 65})
      for (int64_t k : {5, 32, 37})
        for (int64_t n : {50, 100})
          for (unsigned turned = 0; turned < 4; ++turned)
            for (Page page : {Page::behind, Page::before})
              expectExactAt<Element>(kernel, type, m, n, k, turned, page);
  }
}
TEST(ThisCpu, lowerTilesAreExact) {
  for (const char *constant : {"", "const "}) {
    expectExactLowerTiles<float>("f32", constant);
    expectExactLowerTiles<_Float16>("f16", constant);
    expectExactLowerTiles<Bf16>("bf16", constant);
    expectExactLowerTiles<int8_t>("i8", constant);
  }
}

// With one row, threads share the columns of the matrix; a single thread reads whole rows of it.
TEST(ThisCpu, oneThreadTakesAllColumns) {
  const Phase phase(
      Emitted(llvm::cantFail(hostTarget()), fusedKernel("f32", "schedule { cores = 2; }")));
  const int64_t dims[] = {1, 4096, 4096};
  int64_t plan[mostOfPlan];
  phase.plan(dims, 1, plan);
  EXPECT_NE(plan[planSingleBlock], 0);
  phase.plan(dims, 2, plan);
  EXPECT_EQ(plan[planSingleBlock], 0);
}

// Rows that are reduced are shared once that takes less time than one thread needs.
TEST(ThisCpu, threadsShareManyRows) {
  const Phase phase(Emitted(llvm::cantFail(hostTarget()),
                            std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { "
                                        "y = softmax[N](x); schedule { cores = 2; } }")));
  auto isShared = [&](int64_t m, int64_t n) {
    const int64_t dims[] = {m, n};
    int64_t plan[mostOfPlan];
    phase.plan(dims, 2, plan);
    return plan[planSingleBlock] == 0;
  };
  EXPECT_FALSE(isShared(8, 64));
  EXPECT_FALSE(isShared(1, 1 << 20));
  EXPECT_TRUE(isShared(1000, 1000));
  EXPECT_TRUE(isShared(2, 1 << 20));
}

// Few rows and few columns have code paths of their own.
TEST(ThisCpu, bytesAreExact) { expectExact<int8_t>(llvm::cantFail(hostTarget()), "i8"); }
TEST(ThisCpu, bf16IsExact) { expectExact<Bf16>(llvm::cantFail(hostTarget()), "bf16"); }
TEST(ThisCpu, pairsOfBf16AreExact) {
  CodeTarget target = llvm::cantFail(hostTarget());
  if (!target.masks() || !llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
    GTEST_SKIP() << "has no product of pairs";
  target.usesBf16Dot = true;
  expectExact<Bf16>(std::move(target), "bf16");
}
/// With one column, rows one after the other and together, whichever this CPU would choose.
TEST(ThisCpu, bytesInEitherOrderOfRowsAreExact) {
  for (bool longStreams : {false, true}) {
    CodeTarget target = llvm::cantFail(hostTarget());
    target.longStreams = longStreams;
    expectExact<int8_t>(std::move(target), "i8");
  }
}
TEST(ThisCpu, floatsInEitherOrderOfRowsAreExact) {
  for (bool longStreams : {false, true}) {
    auto target = [&] {
      CodeTarget made = llvm::cantFail(hostTarget());
      made.longStreams = longStreams;
      return made;
    };
    expectExact<float>(target(), "f32");
    expectExact<Bf16>(target(), "bf16");
  }
}

/// Whole vectors in place: a single run of panels has no loops around it.
void expectExactOfWholeVectors(CodeTarget target) {
  const int64_t lanes = target.lanes;
  Runnable kernel(Emitted(std::move(target), "f32"), nullptr);
  for (int64_t vectors : {1, 2, 3, 4, 5})
    for (int64_t m : {17, 32, 75})
      for (int64_t k : {1, 33, 2500})
        expectExactAt<float>(kernel, "f32", m, vectors * lanes, k, 0);
}
TEST(ThisCpu, wholeVectorsInPlaceAreExact) {
  expectExactOfWholeVectors(llvm::cantFail(hostTarget()));
}

TEST(ThisCpu, constantsAreExact) {
  expectExactConstants<float>(llvm::cantFail(hostTarget()), "f32");
  expectExactConstants<_Float16>(llvm::cantFail(hostTarget()), "f16");
  expectExactConstants<int8_t>(llvm::cantFail(hostTarget()), "i8");
  for (bool usesBf16Dot : {false, true}) {
    CodeTarget target = llvm::cantFail(hostTarget());
    target.usesBf16Dot = usesBf16Dot && target.usesBf16Dot;
    expectExactConstants<Bf16>(std::move(target), "bf16");
  }
}

// The vectors of a constant A are those of its rows where columns would fill them badly.
TEST(ThisCpu, leftConstantsAreExact) {
  expectExactLeftConstants<float>(llvm::cantFail(hostTarget()), "f32");
  if (CodeTarget target = llvm::cantFail(hostTarget()); target.usesBf16Dot && !target.usesAmx())
    expectExactLeftConstants<Bf16>(std::move(target), "bf16");
}

// Columns of 1 to 50 are each number of tiles of each height.
TEST(ThisCpu, leftConstantsByAnyNumberOfColumnsAreExact) {
  Runnable kernel(Emitted(llvm::cantFail(hostTarget()), fusedKernel("f32", "", "", "const ")),
                  nullptr);
  for (int64_t m : {17, 48, 70})
    for (int64_t k : {1, 50, 1100})
      for (int64_t n = 1; n <= 50; ++n)
        expectExactAt<float>(kernel, "f32", m, n, k, 0);
}

// A product of pairs would read subnormal numbers as zero, wherever they are.
TEST(ThisCpu, leftConstantsOfSubnormalNumbersAreExact) {
  CodeTarget target = llvm::cantFail(hostTarget());
  if (!target.usesBf16Dot || target.usesAmx())
    GTEST_SKIP() << "keeps rows";
  Runnable kernel(Emitted(std::move(target), fusedKernel("bf16", "", "", "const ")), nullptr);
  for (int64_t columns : {20, 64})
    for (bool inConstant : {false, true}) {
      const int64_t depth = 61, rows = 70;
      std::vector<uint16_t> a(rows * depth), b(depth * columns);
      std::vector<float> bias(columns), c(rows * columns);
      a.back() = inConstant ? 0x0008 : 0x7f00; // 2^-130, 2^127
      b.back() = inConstant ? 0x7f00 : 0x0008;
      const int64_t extents[] = {rows, depth}, strides[] = {depth, 1};
      std::vector<char> panels(packedBytes(kernel.packed[0], extents));
      packPanels(kernel.packed[0], {a.data(), extents, strides}, panels.data());
      kernel.run({rows, depth, columns}, {panels.data(), b.data(), bias.data(), c.data()},
                 {{{depth, 1}, {columns, 1}, {1}, {columns, 1}}});
      EXPECT_EQ(c.back(), 0x1p-3f) << columns << " columns, in the constant: " << inConstant;
    }
}

TEST(ThisCpu, constantsOfSubnormalNumbersAreExact) {
  Runnable kernel(Emitted(llvm::cantFail(hostTarget()), fusedKernel("bf16", "", "const ")),
                  nullptr);
  for (int64_t rows : {2, 60})
    for (bool inConstant : {false, true}) {
      const int64_t depth = 61, columns = 70;
      std::vector<uint16_t> a(rows * depth), b(depth * columns);
      std::vector<float> bias(columns), c(rows * columns);
      a.back() = inConstant ? 0x7f00 : 0x0008; // 2^127, 2^-130
      b.back() = inConstant ? 0x0008 : 0x7f00;
      const int64_t extents[] = {depth, columns}, strides[] = {columns, 1};
      std::vector<char> panels(packedBytes(kernel.packed[0], extents));
      packPanels(kernel.packed[0], {b.data(), extents, strides}, panels.data());
      kernel.run({rows, depth, columns}, {a.data(), panels.data(), bias.data(), c.data()},
                 {{{depth, 1}, {columns, 1}, {1}, {columns, 1}}});
      EXPECT_EQ(c.back(), 0x1p-3f) << rows << " rows, in the constant: " << inConstant;
    }
}

TEST(ThisCpu, f32IsExact) { expectExact<float>(llvm::cantFail(hostTarget()), "f32"); }

/// The same kernel compiled for older CPUs and run on this one: fewer registers, narrower vectors,
/// no dot products of bytes, or no fused multiply-add.
class OlderCpu : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
      GTEST_SKIP() << "the CPUs are of another kind";
    if (auto has = llvm::sys::getHostCPUFeatures(); !has.lookup("avx2") || !has.lookup("fma"))
      GTEST_SKIP() << "one of the CPUs has more than this one";
    llvm::cantFail(hostTarget());
  }

  template <typename Element> void expectExact(const char *type) {
    CodeTarget target =
        llvm::cantFail(targetFor(llvm::Triple(llvm::sys::getProcessTriple()), GetParam(), ""));
    EXPECT_FALSE(target.hasVnni);
    mmk::expectExact<Element>(std::move(target), type);
  }
  void expectExactOfWholeVectors() {
    mmk::expectExactOfWholeVectors(
        llvm::cantFail(targetFor(llvm::Triple(llvm::sys::getProcessTriple()), GetParam(), "")));
  }
};

TEST_P(OlderCpu, f32IsExact) { expectExact<float>("f32"); }
TEST_P(OlderCpu, constantsAreExact) {
  auto target = [] {
    return llvm::cantFail(targetFor(llvm::Triple(llvm::sys::getProcessTriple()), GetParam(), ""));
  };
  expectExactConstants<float>(target(), "f32");
  expectExactConstants<int8_t>(target(), "i8");
  expectExactLeftConstants<float>(target(), "f32");
}
TEST_P(OlderCpu, wholeVectorsInPlaceAreExact) { expectExactOfWholeVectors(); }
TEST_P(OlderCpu, bytesWithoutADotProductAreExact) { expectExact<int8_t>("i8"); }

INSTANTIATE_TEST_SUITE_P(cpus, OlderCpu, testing::Values("x86-64", "nehalem", "haswell"),
                         [](const auto &info) {
                           std::string name = info.param;
                           llvm::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace mmk
