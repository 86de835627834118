// The lower bound of a variant from its sizes alone, against the clock: for random variants of the
// whole space of kernels of all kinds, on both kinds of chip.
#include "tests/unit/samples.h"
#include "tests/unit/tuned.h"
#include "tune/counter.h"
#include "tune/random_search.h"
#include "tune/value_grid.h"

namespace mmk::tune {
namespace {

struct FloorCase {
  std::string text;
  Dims dims; ///< in the order of the kernel's dimensions
};

class TuneFloors : public testing::TestWithParam<FloorCase> {};

TEST_P(TuneFloors, AreBelowTheClock) {
  const auto &[text, dims] = GetParam();
  const Checked checked(text);
  const Kernel &kernel = checked.kernel();
  for (const char *chip : {"ascend910b1", "ascend910b3", "ascend310p3", "ascend950pr"}) {
    const Machine machine = machineOf(chip);
    SpaceOptions options;
    options.swept = wholeGrid(kernel, machine, dims);
    const Space space = spaceOf(kernel, machine, options);
    const Floors floors(checked.program, kernel, machine, space, {dims});
    Counter counter(checked.program, kernel, machine);
    Known known(1);
    std::atomic<bool> stop = false;
    const auto team = threadTeam(checked.program, kernel, machine, 1);
    Evaluator evaluator(space, {dims}, known, nullptr, *team, stop);
    RandomSearch search(kernel, space, evaluator, floors, dims, 0, /*seed=*/3);
    const int64_t most = samplesOf(60);
    int64_t counted = 0, tight = 0, refused = 0;
    for (int64_t tries = 0; tries < 1000000 && counted < most && refused < 300; ++tries) {
      const Point point = search.draw();
      if (!space.mayExist(point))
        continue;
      const auto floor = floors.cycles(point, 0);
      // Most points do not fit; few of these are compiled.
      if (!floor && tries % 500 != 0)
        continue;
      const Counted variant = counter.count(space.choices(point), {dims});
      ASSERT_EQ(variant.bug, "");
      if (!floor) {
        EXPECT_FALSE(variant.exists()) << space.request(point) << " on " << chip;
        continue;
      }
      if (!variant.exists() || !variant.measures.front()) {
        ++refused;
        continue;
      }
      const int64_t cycles = variant.measures.front()->cycles;
      EXPECT_LE(*floor, cycles) << space.request(point) << " on " << chip;
      ++counted;
      tight += *floor * 2 > cycles;
    }
    EXPECT_EQ(counted, most) << chip;
    EXPECT_GT(tight, 0) << chip;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, TuneFloors,
    testing::Values(
        FloorCase{"kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }",
                  {127, 91, 206}},
        FloorCase{"kernel k(a: f16[K, M], b: f16[N, K]) -> c: f16[M, N] {\n"
                  "  c = cast<f16>(relu(transpose(a) @ transpose(b)));\n}",
                  {700, 333, 777}},
        FloorCase{"kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N], r: f16[M, N]) ->\n"
                  "    c: f16[M, N] {\n  c = cast<f16>(gelu(a @ b + bias) + r);\n}",
                  {1300, 77, 400}},
        FloorCase{"kernel k(a: i8[M, K], b: i8[K, N], s: f32[N]) -> c: f16[M, N] {\n"
                  "  c = cast<f16>(cast<f32>(a @ b) * s);\n}",
                  {20, 2000, 600}},
        FloorCase{"kernel k(a: f16[B, M, K], b: f16[B, N, K]) -> c: f16[B, M, N] {\n"
                  "  c = cast<f16>((a @ transpose(b)) * 0.125);\n}",
                  {7, 300, 12, 434}},
        FloorCase{"kernel k(x: f16[M, K], w1: f16[K, H], w3: f16[K, H], w2: f16[H, N]) ->\n"
                  "    y: f16[M, N] {\n  let g = x @ w1;\n  let u = x @ w3;\n"
                  "  y = cast<f16>(cast<f16>(g * sigmoid(g) * u) @ w2);\n}",
                  {70, 300, 200, 100}},
        FloorCase{"kernel k(a: f16[M, K], b: f16[K, N], c: f16[M, H], d: f16[H, N]) ->\n"
                  "    y: f32[M, N] {\n  y = relu(a @ b + c @ d);\n}",
                  {200, 400, 500, 60}},
        FloorCase{"kernel k(x: f16[M, N]) -> y: f16[M, N] { y = cast<f16>(gelu(x)); }",
                  {1195, 356}},
        FloorCase{"kernel k(x: f32[N], y: f32[N]) -> z: f32[N] { z = x + 3 * y; }", {289140}}));

} // namespace
} // namespace mmk::tune
