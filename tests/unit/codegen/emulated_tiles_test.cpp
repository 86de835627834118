// Products by the tile instructions of AMX, which few CPUs have: emulated on this one.
#include "tests/unit/emitted.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/Support/SourceMgr.h"

#include <cmath>
#include <cstring>

namespace mmk {
namespace {

/// The instructions on tiles in memory: each result takes the next place of a ring that is longer
/// than the life of a tile.
class EmulatedTiles : public testing::Test {
protected:
  static constexpr unsigned rows = 16, rowBytes = 64;
  struct Tile {
    std::array<std::array<char, rowBytes>, rows> row;
    template <typename Element> Element at(unsigned which, unsigned i) const {
      Element element;
      std::memcpy(&element, &row[which][i * sizeof element], sizeof element);
      return element;
    }
    template <typename Element> void set(unsigned which, unsigned i, Element element) {
      std::memcpy(&row[which][i * sizeof element], &element, sizeof element);
    }
  };

  void SetUp() override {
    const CodeTarget host = llvm::cantFail(hostTarget());
    if (!host.masks() || !host.hasVnni || !host.roundsToBf16)
      GTEST_SKIP() << "has no vectors as wide as a row of a tile";
    target = xeon();
    multiplications = 0;
  }

  /// A CPU with tile registers whose other instructions this one has.
  static CodeTarget xeon() {
    const CodeTarget host = llvm::cantFail(hostTarget());
    return llvm::cantFail(targetFor(llvm::Triple(llvm::sys::getProcessTriple()), "sapphirerapids",
                                    host.features + ",+amx-tile,+amx-bf16,+amx-int8"));
  }

  template <typename Element>
  void expectExact(const char *type, const char *schedule = "", const char *ofB = "") {
    mmk::expectExact<Element>(std::move(target), type, emulate, schedule, ofB);
    EXPECT_GT(multiplications, 0);
  }

  /// Calls of functions instead of instructions, and pointers to tiles instead of tiles.
  static void emulate(Emitted &emitted, llvm::orc::LLJIT &jit) {
    std::string text;
    llvm::raw_string_ostream(text) << *emitted.module;
    text = std::regex_replace(text, std::regex("x86_amx"), "ptr");
    text = std::regex_replace(text, std::regex("llvm\\.x86\\.(\\w+)\\.internal"), "$1");
    llvm::SMDiagnostic error;
    emitted.module = llvm::parseAssemblyString(text, error, *emitted.context);
    ASSERT_TRUE(emitted.module) << error.getMessage().str();
    llvm::orc::SymbolMap functions;
    auto add = [&](const char *name, auto *function) {
      functions[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                              llvm::JITSymbolFlags::Exported};
    };
    add("tilezero", zero);
    add("tileloadd64", load);
    add("tilestored64", store);
    add("tdpbssd", multiplyBytes);
    add("tdpbf16ps", multiplyPairs);
    llvm::cantFail(jit.getMainJITDylib().define(absoluteSymbols(functions)));
  }

  static Tile *next() {
    static std::array<Tile, 64> ring;
    static unsigned at = 0;
    return &ring[at++ % ring.size()];
  }
  // All tiles have the full size; of the size registers the low 16 bits are read.
  static void expectWhole(uint32_t height, uint32_t width) {
    ASSERT_EQ(height & 0xffff, rows);
    ASSERT_EQ(width & 0xffff, rowBytes);
  }
  static Tile *zero(uint32_t height, uint32_t width) {
    expectWhole(height, width);
    return &(*next() = Tile{});
  }
  static Tile *load(uint32_t height, uint32_t width, const char *from, int64_t stride) {
    expectWhole(height, width);
    Tile *tile = next();
    for (unsigned r = 0; r < rows; ++r)
      std::memcpy(&tile->row[r], from + r * stride, rowBytes);
    return tile;
  }
  static void store(uint32_t height, uint32_t width, char *to, int64_t stride, const Tile *tile) {
    expectWhole(height, width);
    for (unsigned r = 0; r < rows; ++r)
      std::memcpy(to + r * stride, &tile->row[r], rowBytes);
  }

  /// sum + a * b, of `Sum` by groups of `Element` of four bytes: `add(sum, a, b)` for each pair.
  template <typename Sum, typename Element>
  static Tile *multiply(const Tile *sum, const Tile *a, const Tile *b,
                        Sum (*add)(Sum, Element, Element)) {
    constexpr unsigned group = 4 / sizeof(Element);
    ++multiplications;
    Tile *result = next();
    for (unsigned m = 0; m < rows; ++m)
      for (unsigned n = 0; n < rowBytes / 4; ++n) {
        // One partial sum for each element of a group, then their sum.
        std::array<Sum, group> parts{};
        for (unsigned k = 0; k < rowBytes / sizeof(Element); ++k)
          parts[k % group] = add(parts[k % group], a->at<Element>(m, k),
                                 b->at<Element>(k / group, n * group + k % group));
        Sum all = 0;
        for (Sum part : parts)
          all += part;
        result->set(m, n, sum->at<Sum>(m, n) + all);
      }
    return result;
  }
  static Tile *multiplyBytes(uint32_t, uint32_t, uint32_t, const Tile *sum, const Tile *a,
                             const Tile *b) {
    return multiply<int32_t, int8_t>(sum, a, b,
                                     [](int32_t sum, int8_t x, int8_t y) { return sum + x * y; });
  }
  static Tile *multiplyPairs(uint32_t, uint32_t, uint32_t, const Tile *sum, const Tile *a,
                             const Tile *b) {
    return multiply<float, uint16_t>(sum, a, b, [](float sum, uint16_t x, uint16_t y) {
      // Subnormal operands and results are zero.
      const auto flushed = [](float value) {
        return std::isnormal(value) || !std::isfinite(value) ? value : 0;
      };
      const auto wide = [&](uint16_t bits) {
        return flushed(std::bit_cast<float>(uint32_t{bits} << 16));
      };
      return flushed(std::fma(wide(x), wide(y), sum));
    });
  }

  static inline int64_t multiplications = 0;
  CodeTarget target;
};

TEST_F(EmulatedTiles, ofBytesAreExact) { expectExact<int8_t>("i8"); }
TEST_F(EmulatedTiles, ofPairsAreExact) { expectExact<Bf16>("bf16"); }

TEST_F(EmulatedTiles, ofConstantBytesAreExact) { expectExact<int8_t>("i8", "", "const "); }
TEST_F(EmulatedTiles, ofConstantPairsAreExact) { expectExact<Bf16>("bf16", "", "const "); }

// Code that is compiled fast multiplies the same panels without tiles.
TEST_F(EmulatedTiles, areNotNeededForConstants) {
  for (const char *type : {"i8", "bf16"}) {
    CodeTarget own = xeon();
    own.setFastCompile(true);
    if (type == std::string("i8"))
      mmk::expectExact<int8_t>(std::move(own), type, emulate, "", "const ");
    else
      mmk::expectExact<Bf16>(std::move(own), type, emulate, "", "const ");
    EXPECT_EQ(multiplications, 0) << type;
  }
}

// Many passes, with partial sums in memory between them.
constexpr const char *shallow = "schedule { tile M = 64, N = 80, K = 64; stage K = 64; }";
TEST_F(EmulatedTiles, ofBytesAreExactInShallowPasses) { expectExact<int8_t>("i8", shallow); }
TEST_F(EmulatedTiles, ofPairsAreExactInShallowPasses) { expectExact<Bf16>("bf16", shallow); }

// A pass, or the rows of sums, may be too small for a tile.
TEST_F(EmulatedTiles, areNotUsedWhereTheyHaveNoRoom) {
  for (const char *schedule : {"schedule { tile M = 64, N = 80, K = 32; stage K = 96; }",
                               "schedule { tile M = 16, N = 80, K = 64; stage K = 64; }"}) {
    mmk::expectExact<int8_t>(xeon(), "i8", emulate, schedule);
    EXPECT_EQ(multiplications, 0) << schedule;
  }
}

TEST_F(EmulatedTiles, areNotForSubnormalNumbers) {
  Runnable kernel(Emitted(std::move(target), "bf16"), emulate);
  constexpr int64_t size = 60; // the share of one thread, which then holds the subnormal number
  std::vector<uint16_t> a(size * size), b(size * size);
  std::vector<float> bias(size), c(size * size);
  a.back() = 0x0008; // 2^-130
  b.back() = 0x7f00; // 2^127
  kernel.run({size, size, size}, {a.data(), b.data(), bias.data(), c.data()},
             {{{size, 1}, {size, 1}, {1}, {size, 1}}});
  EXPECT_EQ(c.back(), 0x1p-3f);
  EXPECT_EQ(multiplications, 0);
}

} // namespace
} // namespace mmk
