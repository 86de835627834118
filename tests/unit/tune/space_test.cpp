// The space of variants: its points, their names, and points that are ruled out without compiling.
#include "store/identity.h"
#include "tests/unit/tuned.h"
#include "tune/counter.h"

#include "tune/value_grid.h"

#include <set>

namespace mmk::tune {
namespace {

/// The default with these choices, each of them on its axis.
Point pointWith(const Space &space, const Choices &choices) {
  Point point = space.defaultPoint();
  for (const auto &[key, word] : choices)
    if (const auto axis = space.axisOf(key))
      point[*axis] =
          std::ranges::find(space.axes()[*axis].words, word) - space.axes()[*axis].words.begin();
  return point;
}

TEST(TuneSpace, AnAxisIsADirectiveWithItsDefaultFirst) {
  const Checked checked(fusedText);
  const Machine machine = machineOf();
  const Space space = spaceOf(checked.kernel(), machine);
  ASSERT_EQ(space.axes().size(), 7u);
  EXPECT_EQ(space.axes()[1].key, "tile.M");
  EXPECT_EQ(space.axes()[1].words, (std::vector<std::string>{"64", "128", "256"}));
  EXPECT_EQ(space.size(), 3 * 3 * 2 * 2 * 2 * 2 * 2);
  EXPECT_EQ(space.request(space.at(0)), "buffers.l1=2,cores=20,order=rows,stage.K=128,tile.K=64,"
                                        "tile.M=64,tile.N=64");
  EXPECT_EQ(space.at(0), space.defaultPoint());
}

TEST(TuneSpace, EveryPointIsMadeOnce) {
  const Checked checked(fusedText);
  const Machine machine = machineOf();
  const Space space = spaceOf(checked.kernel(), machine);
  std::set<std::string> requests;
  for (uint64_t i = 0; i < space.size(); ++i)
    requests.insert(space.request(space.at(i)));
  EXPECT_EQ(requests.size(), space.size());
}

TEST(TuneSpace, RulesStagesAndCoresAreJudgedAtSight) {
  const Checked checked(fusedText);
  const Machine machine = machineOf();
  const Space space = spaceOf(checked.kernel(), machine);
  const auto mayExist = [&](const Choices &choices) {
    return space.mayExist(pointWith(space, choices));
  };
  EXPECT_TRUE(mayExist({}));
  EXPECT_FALSE(mayExist({{"tile.M", "256"}, {"tile.N", "128"}}));
  EXPECT_TRUE(mayExist({{"tile.M", "256"}, {"tile.N", "64"}}));
  EXPECT_FALSE(mayExist({{"stage.K", "96"}, {"tile.K", "64"}}));
  EXPECT_TRUE(mayExist({{"stage.K", "96"}, {"tile.K", "32"}}));
  const Machine small = machineOf("ascend910b3", {{"cube_cores", "5"}});
  const Space on5 = spaceOf(checked.kernel(), small);
  EXPECT_FALSE(on5.mayExist(pointWith(on5, {{"cores", "6"}})));
  EXPECT_TRUE(on5.mayExist(pointWith(on5, {{"cores", "4"}})));
}

// The compiler refuses the same points.
TEST(TuneSpace, APanelNeedsItsOrder) {
  const Checked checked(R"(
kernel kept(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64, N = 64, K = 64;
    keep = none | A(256) | B(256);
    order = swizzle(4) | rows | columns | zigzag;
  }
}
)");
  const Machine machine = machineOf();
  const Space space = spaceOf(checked.kernel(), machine);
  Counter counter(checked.program, checked.kernel(), machine);
  int legal = 0;
  for (uint64_t i = 0; i < space.size(); ++i) {
    const Point point = space.at(i);
    legal += space.mayExist(point);
    EXPECT_EQ(space.mayExist(point), counter.count(space.choices(point), {}).exists())
        << space.request(point);
  }
  EXPECT_EQ(legal, 4 + 1 + 1);
  SpaceOptions options;
  options.fixed = {{"keep", "B(256)"}};
  EXPECT_FALSE(spaceOf(checked.kernel(), machine, options).mayExist({0, 0, 0, 0, 0}));
}

TEST(TuneSpace, AutoIsTheMachinesNumberOfCores) {
  const Checked checked(fusedText);
  const Machine machine = machineOf("ascend910b3", {{"cube_cores", "6"}});
  const Space space = spaceOf(checked.kernel(), machine);
  EXPECT_EQ(space.request(pointWith(space, {{"cores", "6"}})), space.request(space.defaultPoint()));
  EXPECT_EQ(space.coresOf(space.defaultPoint()), 6);
}

TEST(TuneSpace, SetFixesAndSweepOpens) {
  const Checked checked(fusedText);
  const Machine machine = machineOf();
  SpaceOptions options;
  options.fixed = {{"tile.M", "48"}, {"fuse", "none"}};
  options.swept = {{"tile.N", {"32", "96", "32"}}, {"buffers.l1", {}}};
  const Space space = spaceOf(checked.kernel(), machine, options);
  const auto words = [&](const char *key) { return space.axes()[*space.axisOf(key)].words; };
  EXPECT_EQ(words("tile.M"), (std::vector<std::string>{"48"}));
  EXPECT_EQ(words("fuse"), (std::vector<std::string>{"none"}));
  EXPECT_EQ(words("tile.N"), (std::vector<std::string>{"32", "96"}));
  EXPECT_EQ(words("buffers.l1"), (std::vector<std::string>{"2", "1", "3"}));
}

std::string errorOf(const SpaceOptions &options) {
  const Checked checked(fusedText);
  const Machine machine = machineOf();
  auto space = Space::make(checked.kernel(), machine, options);
  return space ? "" : llvm::toString(space.takeError());
}

TEST(TuneSpace, ASweepOfNothingLegalIsRefused) {
  EXPECT_EQ(errorOf({{}, {{"tile.Q", {}}}, false, {}, {}}),
            "--sweep tile.Q: 'fused' has no dimension Q; dimensions: M, K and N");
  EXPECT_EQ(errorOf({{}, {{"tile.M", {"24"}}}, false, {}, {}}),
            "--sweep tile.M=24: tile.M = 24 is not a multiple of 16, the cube's width; nearest "
            "legal: 16, 32");
}

TEST(TuneSpace, TheGridHasTheMultiplesThatFit) {
  const Checked checked(fusedText);
  const Machine machine = machineOf();
  const std::vector<std::string> grid = valueGrid(checked.kernel(), machine, "tile.M");
  EXPECT_EQ(grid.front(), "16");
  // 16 columns of f32 fill L0C at 2048 rows.
  EXPECT_EQ(grid.back(), "2048");
  // Four steps of each octave.
  EXPECT_NE(std::ranges::find(grid, "160"), grid.end());
  EXPECT_EQ(std::ranges::find(grid, "176"), grid.end());
  std::string message;
  for (const std::string &key : tunableKeys(checked.kernel(), machine))
    for (const std::string &word : valueGrid(checked.kernel(), machine, key))
      EXPECT_TRUE(checkChoice(checked.kernel(), &machine.cube, key, word, message)) << message;
}

TEST(TuneSpace, AKernelWithoutAScheduleIsExplored) {
  const Checked checked("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = x + x; }");
  const Machine machine = machineOf();
  SpaceOptions options;
  options.explores = true;
  EXPECT_GT(spaceOf(checked.kernel(), machine, options).size(), 100);
  EXPECT_EQ(spaceOf(checked.kernel(), machine).size(),
            spaceOf(checked.kernel(), machine, options).size());
}

TEST(TuneSpace, AStartIsPartOfIt) {
  const Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }");
  const Machine machine = machineOf();
  SpaceOptions options;
  options.starts = {{{"tile.M", "208"}, {"tile.N", "128"}, {"tile.K", "64"}, {"stage.K", "192"}},
                    {{"tile.M", "auto"}, {"grid.K", "7"}, {"skew", "stages"}}};
  const Space space = spaceOf(checked.kernel(), machine, options);
  for (size_t shape = 0; shape < options.starts.size(); ++shape)
    for (const auto &[key, word] : options.starts[shape]) {
      const Choices choices = space.choices(space.defaultPoint(shape));
      EXPECT_NE(std::ranges::find(choices, std::pair(key, word)), choices.end()) << key;
    }
  // What a start does not choose has its default.
  const Choices first = space.choices(space.defaultPoint(0));
  for (const auto &choice : Choices{{"skew", "none"}, {"grid.K", "1"}, {"buffers.l1", "2"}})
    EXPECT_NE(std::ranges::find(first, choice), first.end()) << choice.first;
}

TEST(TuneSpace, AStartAddsToAnAxisOfOneWordThatNobodyGave) {
  const Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }");
  const Machine machine = machineOf();
  const auto wordOf = [&](const SpaceOptions &options) {
    const Space space = spaceOf(checked.kernel(), machine, options);
    for (const auto &[key, word] : space.choices(space.defaultPoint(0)))
      if (key == "tile.N")
        return word;
    return std::string();
  };
  SpaceOptions options;
  options.starts = {{{"tile.N", "256"}}};
  options.opened = {{"tile.N", {"16"}}};
  EXPECT_EQ(wordOf(options), "256");
  options.opened.clear();
  options.swept = {{"tile.N", {"16"}}};
  EXPECT_EQ(wordOf(options), "16");
  options.swept.clear();
  options.fixed = {{"tile.N", "16"}};
  EXPECT_EQ(wordOf(options), "16");
}

//===--- what a figure was found for --------------------------------------------------------===//

std::string digestOfText(const std::string &text) { return semanticsOf(Checked(text).kernel()); }

TEST(TuneIdentity, IsOfWhatIsComputedAlone) {
  const std::string text = "kernel k(x: f32[N], y: f32[N]) -> z: f32[N] { z = x - y; }";
  const std::string digest = digestOfText(text);
  EXPECT_EQ(digest, digestOfText("// a comment\nkernel  other ( x: f32[N],\n y: f32[N]) -> z: "
                                 "f32[N] { let d = x - y; z = d; case a { N = 8; } "
                                 "check { rtol = 0.1; } schedule { tile N = 512 | 1024; } }"));
  EXPECT_NE(digest, digestOfText("kernel k(x: f32[N], y: f32[N]) -> z: f32[N] { z = y - x; }"));
  EXPECT_NE(digest, digestOfText("kernel k(x: f32[N], y: f32[N]) -> z: f32[N] { z = x + y; }"));
  EXPECT_NE(digest, digestOfText("kernel k(x: f16[N], y: f32[N]) -> z: f32[N] { z = x - y; }"));
  EXPECT_NE(digest, digestOfText("kernel k(x: f32[N], y: f32[N]) -> z: f16[N] { z = x - y; }"));
  EXPECT_NE(digest, digestOfText("kernel k(x: f32[N], y: f32[1]) -> z: f32[N] { z = x - y; }"));
  EXPECT_NE(digestOfText("kernel k(x: f32[N]) -> z: f32[N] { z = x * 2; }"),
            digestOfText("kernel k(x: f32[N]) -> z: f32[N] { z = x * 3; }"));
}

// Kernels that differ in an index, a reduced dimension or an int parameter alone are not the same.
TEST(TuneIdentity, SeesIndicesAndReductions) {
  const std::string head = "kernel k(x: f32[N, N, N], s: int = 1) -> y: f32[N, N, N] { y";
  std::set<std::string> digests;
  for (const char *body :
       {"[i, j, k] = x[i, k, j];", "[i, j, k] = x[k, i, j];", "[i, j, k] = x[j, i, k];",
        "[i, j, k] = x[i, j, N - 1 - k];", "[i, j, k] = x[i, j, k] * (i + j);",
        "[i, j, k] = x[i, j, k] * (i + 2 * j);", "[i, j, k] = x[i, j, k] * s;",
        "[i, j, k] = max[i](x[i, j, k]);", "[i, j, k] = max[j](x[i, j, k]);",
        "[i, j, k] = min[j](x[i, j, k]);"})
    EXPECT_TRUE(digests.insert(digestOfText(head + body + " }")).second) << body;
}

TEST(TuneIdentity, EveryFigureOfAMachineCounts) {
  const std::string digest = digestOf(machineOf());
  EXPECT_EQ(digest, digestOf(machineOf()));
  EXPECT_NE(digest, digestOf(machineOf("ascend910b1")));
  EXPECT_NE(digest, digestOf(machineOf("ascend910b3", {{"l2.bytes", "*0.5"}})));
  EXPECT_EQ(digest, digestOf(machineOf("ascend910b3", {{"l2.bytes", "*1"}})));
}

TEST(TuneIdentity, TheBuildIsKnown) {
  EXPECT_EQ(buildId().size(), 32u);
  EXPECT_EQ(buildId(), buildId());
}

TEST(TuneIdentity, KeysOfExchangedFiles) {
  const Checked checked(fusedText);
  // The kernel's own order is that of the parameters: M, K, N.
  EXPECT_EQ(exchangeKey(checked.kernel(), {1, 3, 2}), "1x2x3:f16");
  EXPECT_EQ(spelling(checked.kernel(), {1, 3, 2}), "M=1,N=2,K=3");
}

} // namespace
} // namespace mmk::tune
