// The variant that is chosen for a shape: against the machine's default, against the clock, and
// what the author and the user keep.
#include "choose/chooser.h"
#include "runtime/clock.h"
#include "tests/unit/checked.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace mmk {
namespace {

constexpr const char *biasRelu = R"(
kernel bias_relu(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f16[M, N] {
  c = cast<f16>(relu(a @ b + bias));
})";

class Choosing : public testing::Test {
protected:
  ChosenVariant choose(const std::string &text, const std::vector<int64_t> &dims,
                       const std::string &machineName = "ascend910b3", const Choices &fixed = {}) {
    const Checked checked(text);
    EXPECT_TRUE(checked.isSound()) << checked.messages();
    const Machine machine = llvm::cantFail(loadMachine(machineName));
    Compiler compiler(*checked.program, machine);
    const auto chosen = Chooser(compiler, checked.kernel(), machine, fixed).choose(dims);
    EXPECT_TRUE(chosen);
    return chosen.value_or(ChosenVariant());
  }
};

std::string wordIn(const Choices &choices, const std::string &key) {
  const auto found = std::ranges::find(choices, key, [](const auto &it) { return it.first; });
  return found == choices.end() ? "" : found->second;
}

/// M, K, N: the order in which the kernels here name them.
const std::vector<std::vector<int64_t>> shapes = {
    {2048, 2048, 2048}, {128, 65536, 128}, {96, 9600, 96}, {64, 4096, 11008},
    {7, 2048, 512},     {300, 700, 3000},  {1, 1, 1},      {1000, 33, 17}};

/// What a run counts: compiled and proved anew, beside the chooser.
int64_t countOf(const std::string &text, const std::vector<int64_t> &dims,
                const std::string &machineName, const Choices &choices) {
  const Checked checked(text);
  const Machine machine = llvm::cantFail(loadMachine(machineName));
  Compiler compiler(*checked.program, machine);
  PipelineOptions options;
  options.choices = choices;
  Lowering lowering = compiler.lower(checked.kernel(), compiler.toIr(checked.kernel()),
                                     LoweringLevel::aicore, options, /*findsNearest=*/false);
  EXPECT_TRUE(static_cast<bool>(lowering));
  return llvm::cantFail(backendOf(machine.kind).estimate(lowering.kernel(), machine, dims)).cycles;
}

TEST_F(Choosing, IsNeverBehindTheDefault) {
  for (const char *machine : {"ascend910b1", "ascend910b3", "ascend310p3"})
    for (const std::vector<int64_t> &dims : shapes) {
      const ChosenVariant chosen = choose(biasRelu, dims, machine);
      const int64_t byDefault = countOf(biasRelu, dims, machine, {});
      EXPECT_EQ(chosen.defaultCycles, byDefault);
      EXPECT_EQ(chosen.cycles, countOf(biasRelu, dims, machine, chosen.choices));
      EXPECT_LE(chosen.cycles, byDefault) << machine << " " << dims[0];
    }
}

// Shapes at which a fixed tile is far from the best.
TEST_F(Choosing, HelpsWhereTheDefaultTileIsWrong) {
  const std::pair<std::vector<int64_t>, double> least[] = {{{128, 65536, 128}, 4},
                                                           {{96, 9600, 96}, 1.9},
                                                           {{2048, 5120, 5120}, 1.2},
                                                           {{300, 700, 3000}, 1.15}};
  for (const auto &[dims, factor] : least) {
    const ChosenVariant chosen = choose(biasRelu, dims);
    EXPECT_GT(static_cast<double>(chosen.defaultCycles) / chosen.cycles, factor) << dims[0];
  }
}

std::string biasReluWith(const std::string &schedule) {
  std::string text = biasRelu;
  return text.insert(text.rfind('}'), "schedule { " + schedule + " }\n");
}

// `auto` is what is not written.
TEST_F(Choosing, AutoIsOpen) {
  const std::vector<int64_t> deep = {128, 65536, 128};
  const ChosenVariant open = choose(biasRelu, deep);
  const ChosenVariant written = choose(biasReluWith("tile M = auto; cores = auto;"), deep);
  EXPECT_EQ(written.choices, open.choices);
  EXPECT_EQ(written.cycles, open.cycles);
  // Where the user fixes it, the tile fits the shape, and the rest is chosen.
  const ChosenVariant fitted = choose(biasRelu, deep, "ascend910b3", {{"tile.M", "auto"}});
  EXPECT_EQ(wordIn(fitted.choices, "tile.M"), "");
  EXPECT_LT(4 * fitted.cycles, fitted.defaultCycles);
}

// The rules of a schedule hold for what it leaves open, also where they refuse the default.
TEST_F(Choosing, RulesAreFollowed) {
  const ChosenVariant chosen =
      choose(biasReluWith("tile M = 32; require tile.M * tile.N <= 4096;"), {512, 512, 128});
  ASSERT_GT(chosen.cycles, 0);
  EXPECT_EQ(chosen.defaultCycles, 0);
  for (const CountedCandidate &it : chosen.counted)
    EXPECT_LE(std::stoll(wordIn(it.choices, "tile.N")), 128);
}

TEST_F(Choosing, AKeptPanelIsKept) {
  const std::vector<int64_t> flat = {4096, 512, 4096};
  const ChosenVariant open = choose(biasRelu, flat);
  for (const char *panel : {"A(512)", "B(512)"}) {
    const ChosenVariant chosen = choose(biasRelu, flat, "ascend910b3", {{"keep", panel}});
    EXPECT_EQ(wordIn(chosen.choices, "keep"), "");
    EXPECT_LE(chosen.cycles, 1.2 * open.cycles) << panel;
  }
}

TEST_F(Choosing, AGridOfCoresIsKept) {
  const ChosenVariant chosen =
      choose(biasRelu, {300, 700, 3000}, "ascend910b3", {{"grid.M", "4"}, {"grid.N", "5"}});
  EXPECT_EQ(wordIn(chosen.choices, "grid.M") + wordIn(chosen.choices, "grid.N"), "");
  EXPECT_LT(chosen.cycles, chosen.defaultCycles);
}

// A number in a shape is tiled like a name.
TEST_F(Choosing, LiteralExtentsAreChosenLikeNamedOnes) {
  const ChosenVariant named = choose(biasRelu, {64, 4096, 11008});
  const ChosenVariant literal = choose(R"(
kernel bias_relu(a: f16[M, 4096], b: f16[4096, 11008], bias: f32[11008]) -> c: f16[M, 11008] {
  c = cast<f16>(relu(a @ b + bias));
})",
                                       {64});
  EXPECT_EQ(literal.considered, named.considered);
  // The scalar unit computes places with other instructions.
  EXPECT_NEAR(static_cast<double>(literal.cycles) / named.cycles, 1, 0.001);
  EXPECT_EQ(wordIn(literal.choices, "tile.11008"), wordIn(named.choices, "tile.N"));
  EXPECT_EQ(wordIn(literal.choices, "grid.4096"), wordIn(named.choices, "grid.K"));

  const ChosenVariant rows = choose(
      "kernel k(x: f32[M, 768], b: f32[768]) -> y: f32[M, 768] { y = relu(x + b); }", {9999});
  EXPECT_EQ(
      rows.cycles,
      choose("kernel k(x: f32[M, N], b: f32[N]) -> y: f32[M, N] { y = relu(x + b); }", {9999, 768})
          .cycles);
}

TEST_F(Choosing, IsTheSameEachTime) {
  for (const std::vector<int64_t> &dims : shapes)
    EXPECT_EQ(choose(biasRelu, dims).choices, choose(biasRelu, dims).choices);
}

// The closed form ranks variants only; but far from the clock it would rank them wrongly.
TEST_F(Choosing, TheClosedFormIsNearTheClock) {
  for (const char *machine : {"ascend910b3", "ascend310p3"})
    for (const std::vector<int64_t> &dims : shapes)
      for (const CountedCandidate &it : choose(biasRelu, dims, machine).counted)
        if (it.predicted > 0 && it.cycles > 20000) {
          EXPECT_GT(it.predicted, 0.7 * it.cycles) << machine << " " << dims[0];
          EXPECT_LT(it.predicted, 1.4 * it.cycles) << machine << " " << dims[0];
        }
}

// All tiles read the one line of the image, so that fewer cores wait less for each other.
TEST_F(Choosing, TheClosedFormKnowsThatTilesOfALineReadTheSamePixels) {
  const std::string text = R"(
kernel k(x: f16[80, 3000], w: f16[O, 80, 3]) -> y: f32[O, 1500] {
  y[o, q] = sum[c, s](pad(x, 0)[c, 2*q + s - 1] * w[o, c, s]);
})";
  const auto count = [&](const char *o, const char *q, const char *depth, const char *stage) {
    const ChosenVariant chosen = choose(text, {384}, "ascend910b2",
                                        {{"tile.O", o},
                                         {"tile.1500", q},
                                         {"tile.240", depth},
                                         {"stage.240", stage},
                                         {"window", "direct(32)"},
                                         {"skew", "stages"},
                                         {"order", "rows"}});
    return chosen.counted.front();
  };
  const CountedCandidate ofAll = count("48", "512", "32", "64"),
                         ofFewer = count("128", "256", "48", "48");
  EXPECT_GT(ofAll.cycles, ofFewer.cycles);
  EXPECT_GT(ofAll.predicted, ofFewer.predicted);
}

TEST_F(Choosing, KeepsWhatTheAuthorAndTheUserChose) {
  const std::string text = R"(
kernel kept(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule { tile M = 64 | 128; order = columns; }
})";
  const ChosenVariant chosen = choose(text, {2048, 2048, 2048}, "ascend910b3", {{"skew", "none"}});
  for (const char *key : {"tile.M", "order", "skew"})
    EXPECT_EQ(wordIn(chosen.choices, key), "") << key;
  EXPECT_NE(wordIn(chosen.choices, "tile.N"), "");
}

// A reduction too long for the few tiles of its result is split.
TEST_F(Choosing, SplitsLongReductions) {
  EXPECT_NE(wordIn(choose(biasRelu, {128, 65536, 128}).choices, "grid.K"), "");
  EXPECT_EQ(wordIn(choose(biasRelu, {2048, 2048, 2048}).choices, "grid.K"), "");
}

// Three products; H is an output of two of them and the depth of the third. Their weights miss L2:
// of a product of 512 rows the library of the chip reaches 0.51 (docs/calibration.md).
TEST_F(Choosing, SeveralProductsReachTheirRoofline) {
  const std::string gated = R"(
kernel gated(x: f16[M, K], w1: f16[K, H], w3: f16[K, H], w2: f16[H, N]) -> y: f16[M, N] {
  let g = x @ w1;
  let u = x @ w3;
  y = cast<f16>(cast<f16>(g * sigmoid(g) * u) @ w2);
})";
  const ChosenVariant chosen = choose(gated, {512, 1024, 4096, 1024});
  const Machine machine = llvm::cantFail(loadMachine("ascend910b3"));
  const double macs = 3.0 * 512 * 1024 * 4096;
  const double roofline =
      macs / (machine.cube.macsPerCycle.at(ElementType::f16) * machine.cubeCores);
  EXPECT_GT(roofline / static_cast<double>(chosen.cycles - taskCycles(machine, true)), 0.55);
}

TEST_F(Choosing, ElementwiseKernels) {
  const std::string add = "kernel add(a: f16[M, N], b: f16[M, N]) -> y: f16[M, N] {"
                          "  y = cast<f16>(a + b); }";
  for (const std::vector<int64_t> &dims :
       std::vector<std::vector<int64_t>>{{50190, 3}, {1000, 3000}, {1, 100000}, {5, 5}}) {
    const ChosenVariant chosen = choose(add, dims);
    EXPECT_LE(chosen.cycles, chosen.defaultCycles) << dims[0];
  }
}

// The code of the host fits itself to the shape when it runs.
// What divides the row is counted first, as the closed form prefers it: with a limit on the steps
// of a choice, whole rows of one core would leave none for it.
TEST_F(Choosing, LongRowsAreDividedAtEveryLength) {
  const std::string sum = "kernel k(x: i8[N]) -> s: i32 { s = sum[N](x); }";
  const int64_t length = 1500000000;
  const auto whole = static_cast<double>(choose(sum, {length}).cycles);
  for (const int64_t longer : {2000000000, 2147483647}) {
    const ChosenVariant chosen = choose(sum, {longer});
    EXPECT_NEAR(static_cast<double>(chosen.cycles) / whole, static_cast<double>(longer) / length,
                0.05 * static_cast<double>(longer) / length);
  }
  const std::string softmax = "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }";
  const auto few = static_cast<double>(choose(softmax, {1, 250000000}).cycles);
  EXPECT_NEAR(static_cast<double>(choose(softmax, {1, 1000000000}).cycles) / few, 4, 0.2);
}

// Beside a product, tiles of rows and of elementwise work are the machine's, which shrink until
// they fit, also where UB is small.
TEST_F(Choosing, ShrinksWhatHasNoRoom) {
  const std::string head = "kernel k(q: f16[B, K], w: f16[K, N], l: i32[B], x: f32[B, T, R]) -> "
                           "y: f32[B, N], m: f32[";
  const std::string masked =
      head + "B, T] { y = q @ w; m[b, t] = max[r | t + r < l[b]](x[b, t, r]); }";
  const std::string positions =
      head +
      "B, T, R] { y = q @ w; m[b, t, r] = select((3*t + r) % 7 < l[b], x[b, t, r] * x[b, t, r],"
      " select(t + 2*r < 9, x[b, t, r] + 1, x[b, t, r])); }";
  for (const std::string &text : {masked, positions})
    for (const char *name : {"ascend910b3", "ascend310p3", "ascend950pr"})
      for (const int64_t bytes : {0, 65536, 32768}) {
        const Checked checked(text);
        Machine machine = llvm::cantFail(loadMachine(name));
        if (bytes > 0)
          machine.memories[Memory::ub].bytes = bytes;
        Compiler compiler(*checked.program, machine);
        EXPECT_TRUE(Chooser(compiler, checked.kernel(), machine, {}).choose({4, 64, 64, 8, 5000}))
            << name << " " << bytes << "\n"
            << text;
      }
}

TEST_F(Choosing, TheHostHasItsOwnModel) {
  const Checked checked(biasRelu);
  const Machine host = llvm::cantFail(loadMachine("host"));
  Compiler compiler(*checked.program, host);
  EXPECT_FALSE(Chooser(compiler, checked.kernel(), host, {}).choose({64, 64, 64}));
}

} // namespace
} // namespace mmk
