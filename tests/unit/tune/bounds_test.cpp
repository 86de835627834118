// Pruning of the search: bounds are lower bounds, predicted refusals are refused, and no better
// variant is missed. For random variants of kernels of all kinds, at random shapes.
#include "tests/unit/samples.h"
#include "tests/unit/tuned.h"
#include "tune/bounded_search.h"

#include <random>

namespace mmk::tune {
namespace {

/// The directives that decide work and time, for a product followed by vector work.
const std::string wideText = R"(
kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = max(a @ b + bias, 0);
  schedule {
    cores = auto | 7 | 3;
    tile M = 64 | 128 | 112 | 256, N = 64 | 128 | 256, K = 64 | 32 | 48;
    stage K = 128 | 48 | 96 | 512;
    buffers l1 = 2 | 1 | 3, l0 = 2 | 1, acc = 1 | 2, out = 2 | 1;
    keep = none | A(512) | B(512);
    bias = vector | table;
    order = rows | swizzle(3) | zigzag;
    store = after | overlapped;
    fuse     = all | none;
    require tile.M * tile.N <= 32768;
  }
}
)";

/// Without a stage, with single operands' copies, a transposed operand and another type.
const std::string plainText = R"(
kernel plain(a: i8[M, K], b: i8[N, K]) -> c: i32[M, N] {
  c = a @ transpose(b);
  schedule {
    cores = auto | 5;
    tile M = 64 | 128, N = 64 | 128, K = 64 | 32;
    buffers l1.a = 2 | 1, l1.b = 2 | 3, l0 = 2 | 1, out = 2 | 1;
    order = rows | columns;
    store = after | overlapped;
  }
}
)";

/// A grid with a split reduction; batches of products.
const std::string gridText = R"(
kernel grid(a: bf16[M, K], b: bf16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    cores = auto;
    grid  M = 1 | 2, N = 2 | 5, K = 1 | 2;
    tile  M = 64 | 128, N = 64 | 128, K = 64;
    stage K = 128 | 256;
    buffers l1 = 2 | 1, out = 2 | 1;
  }
}
)";

const std::string elementwiseText = R"(
kernel silu(x: f32[M, N]) -> y: f32[M, N] {
  y = x / (1 + exp(-x));
  schedule {
    cores = auto | 9;
    tile M = 8 | 16, N = 256 | 512;
    buffers ub = 2 | 1 | 3, out = 2 | 1;
    order = rows | columns;
  }
}
)";

class TuneBounds : public testing::TestWithParam<std::string> {};

TEST_P(TuneBounds, HoldForRandomVariantsAndShapes) {
  const Checked checked(GetParam());
  const Kernel &kernel = checked.kernel();
  std::mt19937 random(5);
  for (const char *chip : {"ascend910b3", "ascend310p3"}) {
    const Machine machine = machineOf(chip);
    const Space space = spaceOf(kernel, machine);
    Counter counter(checked.program, kernel, machine);
    std::vector<Dims> shapes;
    for (const int64_t most : {2000, 700, 100}) {
      Dims &dims = shapes.emplace_back();
      for (size_t i = 0; i < kernel.dimensions.size(); ++i)
        dims.push_back(1 + random() % most);
    }
    std::vector<Bounds> bounds(shapes.size(), Bounds(space));
    Refusals refusals(space);
    int64_t bounded = 0;
    // Points that differ in few directives, so that they share what is learned.
    Point point = space.defaultPoint();
    for (int i = 0; i < samplesOf(400); ++i) {
      const size_t axis = random() % point.size();
      point[axis] = random() % space.axes()[axis].words.size();
      if (!space.mayExist(point))
        continue;
      const Counted counted = counter.count(space.choices(point), shapes);
      ASSERT_EQ(counted.bug, "");
      if (refusals.cover(point)) {
        EXPECT_FALSE(counted.exists()) << space.request(point);
      }
      if (!counted.exists()) {
        refusals.learn(point, counted.code);
        continue;
      }
      for (size_t shape = 0; shape < shapes.size(); ++shape) {
        if (!counted.measures[shape])
          continue;
        const Measure &measure = *counted.measures[shape];
        bounded += bounds[shape].within(point, {0}).empty();
        EXPECT_EQ(bounds[shape].within(point, {measure.cycles}).size(), 1U)
            << space.request(point) << " at shape " << shape << " on " << chip;
        bounds[shape].learn(point, counted.variant, measure);
        EXPECT_EQ(bounds[shape].within(point, {measure.cycles}).size(), 1U)
            << space.request(point) << " at shape " << shape << " on " << chip;
      }
    }
    // A chip of few cores refuses every grid of these.
    if (machine.cubeCores > 10) {
      EXPECT_GT(bounded, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TuneBounds,
                         testing::Values(wideText, plainText, gridText, elementwiseText));

/// A search of a whole space by itself, beside the count of everything.
struct Whole {
  Whole(const std::string &text, std::vector<Dims> shapes, Known &known)
      : checked(text), machine(machineOf()), space(spaceOf(checked.kernel(), machine)),
        team(threadTeam(checked.program, checked.kernel(), machine, 2)),
        floors(checked.program, checked.kernel(), machine, space, shapes),
        evaluator(space, shapes, known, nullptr, *team, stop),
        search(space, evaluator, known, shapes.size(), floors) {
    isDecided = search.run(INT64_MAX, [](int64_t, int64_t) {});
  }
  int64_t best(size_t shape) {
    int64_t best = INT64_MAX;
    for (const Point &point : search.measured())
      if (const auto answer = evaluator.at(point, shape))
        best = std::min(best, answer->measure->cycles);
    return best;
  }

  Checked checked;
  Machine machine;
  Space space;
  std::atomic<bool> stop = false;
  std::unique_ptr<Team> team;
  Floors floors;
  Evaluator evaluator;
  BoundedSearch search;
  bool isDecided = false;
};

const std::vector<Dims> shapes = {{300, 200, 260}, {1000, 96, 700}, {40, 512, 100}}; // M, K, N

TEST(TuneBoundedSearch, FindsTheBestOfAll) {
  Known known(shapes.size()), nothing(shapes.size());
  Whole whole(fusedText, shapes, known);
  ASSERT_TRUE(whole.isDecided);
  EXPECT_GT(whole.search.bounded(), 0);
  EXPECT_LT(whole.evaluator.counted, whole.search.points());
  std::vector<int64_t> best(shapes.size(), INT64_MAX);
  Counter counter(whole.checked.program, whole.checked.kernel(), whole.machine);
  int64_t points = 0;
  whole.space.forEach([&](const Point &point) {
    ++points;
    const Counted counted = counter.count(whole.space.choices(point), shapes);
    for (size_t shape = 0; shape < counted.measures.size(); ++shape) {
      best[shape] = std::min(best[shape], counted.measures[shape]->cycles);
      if (const auto answer = whole.evaluator.at(point, shape)) {
        EXPECT_EQ(answer->measure->cycles, counted.measures[shape]->cycles)
            << whole.space.request(point);
      }
    }
    return true;
  });
  EXPECT_EQ(whole.search.points(), points);
  for (size_t shape = 0; shape < shapes.size(); ++shape)
    EXPECT_EQ(whole.best(shape), best[shape]);
}

TEST(TuneBoundedSearch, EvaluatesNoPointTwiceAndInAWiderSpaceOnlyTheNewPoints) {
  Known known(shapes.size());
  Whole first(fusedText, shapes, known);
  EXPECT_GT(first.evaluator.counted, 0);
  Whole second(fusedText, shapes, known);
  EXPECT_EQ(second.evaluator.counted + second.evaluator.refused, 0);
  std::string wider = fusedText;
  wider.replace(wider.find("96;"), 3, "96 | 64;");
  Whole third(wider, shapes, known);
  EXPECT_GT(third.evaluator.counted, 0);
  for (const auto &[request, code] : known.codes)
    if (!first.space.pointOf(request)) {
      EXPECT_NE(request.find("stage.K=64"), std::string::npos) << request;
    }
}

// A panel that is too shallow for one case serves the others.
TEST(TuneBoundedSearch, AVariantMayExistAtSomeShapesAlone) {
  std::string text = fusedText;
  text.replace(text.find("order"), 0, "keep = A(256);\n    ");
  const std::vector<Dims> both = {{600, 256, 300}, {600, 257, 300}};
  Known known(2);
  Whole whole(text, both, known);
  EXPECT_TRUE(whole.isDecided);
  EXPECT_NE(whole.best(0), INT64_MAX);
  EXPECT_EQ(whole.best(1), INT64_MAX);
}

TEST(TuneSpace, VisitsThePointsThatMayExist) {
  const Checked checked(wideText);
  const Machine machine = machineOf();
  const Space space = spaceOf(checked.kernel(), machine);
  std::mt19937 random(3);
  std::set<Point> visited;
  Point last;
  space.forEach([&](const Point &point) {
    EXPECT_LT(last, point);
    last = point;
    if (random() % 1000 == 0) {
      EXPECT_TRUE(space.mayExist(point));
      EXPECT_EQ(space.pointOf(space.request(point)), point);
    }
    visited.insert(point);
    return true;
  });
  for (int i = 0; i < 1000; ++i) {
    const Point point = space.at(random() % static_cast<uint64_t>(space.size()));
    EXPECT_EQ(space.mayExist(point), visited.contains(point));
  }
}

} // namespace
} // namespace mmk::tune
