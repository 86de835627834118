// The quick search of a whole space: its moves, what the closed form says of it, and what it finds.
#include "tests/unit/tuned.h"
#include "tune/counter.h"
#include "tune/random_search.h"
#include "tune/ranked_search.h"
#include "tune/value_grid.h"

#include <bit>
#include <cmath>

namespace mmk::tune {
namespace {

const std::string productText =
    "kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f16[M, N] {\n"
    "  c = cast<f16>(relu(a @ b + bias));\n}";
const std::string geluText = "kernel k(x: f16[M, N]) -> y: f16[M, N] { y = cast<f16>(gelu(x)); }";

/// The whole space of a kernel at one shape.
struct RankedSpace {
  RankedSpace(const std::string &text, Dims shape, const std::string &chip)
      : checked(text), machine(machineOf(chip)), dims(std::move(shape)), space(make()),
        floors(checked.program, checked.kernel(), machine, space, {dims}) {}

  Space make() const {
    SpaceOptions options;
    options.swept = wholeGrid(checked.kernel(), machine, dims);
    return spaceOf(checked.kernel(), machine, options);
  }

  Checked checked;
  Machine machine;
  Dims dims;
  Space space;
  Floors floors;
};

/// What a search of it counted, with what is known from earlier ones.
struct Ranked {
  Ranked(const RankedSpace &whole, const RankedSearch::Limits &limits, unsigned threads = 2)
      : Ranked(whole, limits, Known(1), threads) {}
  Ranked(const RankedSpace &whole, const RankedSearch::Limits &limits, Known before,
         unsigned threads = 2)
      : known(std::move(before)),
        team(threadTeam(whole.checked.program, whole.checked.kernel(), whole.machine, threads)) {
    Evaluator evaluator(whole.space, {whole.dims}, known, nullptr, *team, stop);
    RankedSearch search(whole.checked.kernel(), whole.space, evaluator, whole.floors, whole.dims, 0,
                        Objective(), /*seed=*/1, limits);
    points = search.run();
    counted = evaluator.counted;
    for (const Point &point : points)
      cycles.push_back(evaluator.at(point, 0)->measure->cycles);
  }
  int64_t best() const { return *std::ranges::min_element(cycles); }

  Known known;
  std::atomic<bool> stop = false;
  std::unique_ptr<Team> team;
  std::vector<Point> points;
  std::vector<int64_t> cycles;
  int64_t counted = 0;
};

RankedSearch::Limits variants(int64_t most) { return {.variants = most, .effort = INFINITY}; }

TEST(RankedSearch, IsRepeatableWithAnyNumberOfThreads) {
  const RankedSpace whole(productText, {700, 333, 200}, "ascend910b3");
  const Ranked one(whole, variants(60), 1), two(whole, variants(60), 2);
  EXPECT_EQ(one.points, two.points);
  EXPECT_EQ(one.cycles, two.cycles);
}

// What is known spares it work, and changes no choice: refused variants, too, are of its own
// points.
TEST(RankedSearch, IsRepeatableWithWhatIsKnown) {
  const RankedSpace whole(productText, {700, 333, 2000}, "ascend910b3");
  const Ranked cold(whole, variants(60)), warm(whole, variants(60), cold.known),
      longer(whole, variants(120)), warmer(whole, variants(60), longer.known);
  EXPECT_EQ(warm.counted, 0);
  EXPECT_EQ(cold.points, warm.points);
  EXPECT_EQ(cold.points, warmer.points);
}

TEST(RankedSearch, KeepsToItsLimits) {
  const RankedSpace whole(productText, {700, 333, 200}, "ascend910b3");
  EXPECT_EQ(Ranked(whole, variants(50)).points.size(), 50U);
  const Ranked short_(whole, {.variants = 200, .effort = 1, .fewest = 32, .few = 40});
  EXPECT_GE(short_.points.size(), 10U); // of the 32 some are refused, or their floor is too high
  EXPECT_LT(short_.points.size(), 60U);
}

// One tile a vector core, as long as it can be, with one copy of its input.
TEST(RankedSearch, FindsATileForTheCores) {
  const RankedSpace whole(geluText, {32055, 8}, "ascend910b3");
  const Ranked ranked(whole, variants(200));
  Known known(1);
  std::atomic<bool> stop = false;
  const auto team = threadTeam(whole.checked.program, whole.checked.kernel(), whole.machine, 2);
  Evaluator evaluator(whole.space, {whole.dims}, known, nullptr, *team, stop);
  RandomSearch random(whole.checked.kernel(), whole.space, evaluator, whole.floors, whole.dims, 0,
                      /*seed=*/1);
  int64_t drawn = INT64_MAX;
  for (const Point &point : random.run(2000))
    if (const auto answer = evaluator.at(point, 0))
      drawn = std::min(drawn, answer->measure->cycles);
  EXPECT_LE(ranked.best(), drawn);
}

TEST(RankedSearch, TheFormIsNearTheClock) {
  for (const char *chip : {"ascend910b3", "ascend310p3"}) {
    const RankedSpace whole(productText, {700, 333, 200}, chip);
    const Ranked ranked(whole, variants(80));
    double error = 0;
    for (size_t i = 0; i < ranked.points.size(); ++i)
      error += std::abs(std::log(whole.floors.predicted(ranked.points[i], 0) /
                                 static_cast<double>(ranked.cycles[i])));
    EXPECT_LT(error / static_cast<double>(ranked.points.size()), 0.3) << chip;
  }
}

class TuneMoves : public testing::Test {
protected:
  int64_t numberOf(const Point &point, const char *key) const {
    const size_t axis = *whole.space.axisOf(key);
    return std::stoll(whole.space.axes()[axis].words[point[axis]]);
  }
  void expectWholeStages(const Point &point) const {
    EXPECT_EQ(numberOf(point, "stage.K") % numberOf(point, "tile.K"), 0)
        << whole.space.request(point);
  }

  const RankedSpace whole{productText, {700, 333, 200}, "ascend910b3"};
  Moves moves{whole.checked.kernel(), whole.space, whole.dims, 7};
};

TEST_F(TuneMoves, TilesAreTheShortestOfTheirNumberOrRound) {
  for (int i = 0; i < 100; ++i) {
    const Point point = moves.draw();
    const int64_t rows = numberOf(point, "tile.M"), parts = (700 + rows - 1) / rows;
    const bool isShortest = rows == 16 || (700 + rows - 17) / (rows - 16) > parts,
               isRound = rows % (std::bit_floor(static_cast<uint64_t>(rows)) / 2) == 0;
    EXPECT_TRUE(isShortest || isRound) << rows;
    expectWholeStages(point);
  }
}

TEST_F(TuneMoves, ANeighbourDiffersInOneDirectiveAndWhatFollowsFromIt) {
  const Point point = moves.draw();
  const std::vector<Point> neighbours = moves.neighbours(point);
  EXPECT_GT(neighbours.size(), whole.space.axes().size());
  for (const Point &neighbour : neighbours) {
    EXPECT_NE(neighbour, point);
    size_t differences = 0;
    for (size_t axis = 0; axis < point.size(); ++axis)
      differences += neighbour[axis] != point[axis];
    EXPECT_LE(differences, 2U);
    expectWholeStages(neighbour);
  }
}

TEST_F(TuneMoves, AChildHasWholeStages) {
  const Point one = moves.draw(), other = moves.draw();
  for (int i = 0; i < 100; ++i)
    expectWholeStages(moves.child(one, other));
}

TEST_F(TuneMoves, TheErrorOfTheFormIsThatOfTheNearest) {
  FormError error(whole.space);
  const Point one = moves.draw();
  EXPECT_EQ(error.ratioOf(one), 1);
  error.learn(one, 1.5);
  EXPECT_DOUBLE_EQ(error.ratioOf(one), 1.5);
  Point other = one;
  const size_t rows = *whole.space.axisOf("tile.M");
  other[rows] = other[rows] < 4 ? whole.space.axes()[rows].words.size() - 1 : 0;
  error.learn(other, 0.5);
  EXPECT_GT(error.ratioOf(one), 1.3);
  EXPECT_LT(error.ratioOf(other), 0.7);
}

} // namespace
} // namespace mmk::tune
