// Reductions on this CPU against the reference: each one over each set of dimensions and type, at
// ragged extents, with every kind of data; rows too long for the scratch, and long sums.
#include "reference/check.h"
#include "tests/unit/compiled.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace mmk {
namespace {

using Dims = std::map<std::string, int64_t>;

/// Runs at some dimensions, and checks every result by the bounds of rounding alone.
void expectRight(Compiled &compiled, const Dims &dims, DataKind kind) {
  ASSERT_TRUE(compiled.ready());
  const std::vector<Tensor> inputs = compiled.inputs(dims, kind);
  const std::vector<Tensor> got = compiled.run(dims, inputs);
  std::vector<const Tensor *> tensors;
  for (const Tensor &input : inputs)
    tensors.push_back(&input);
  const std::vector<double> scalars(tensors.size());
  auto check = llvm::cantFail(ResultCheck::create({compiled.kernel(), dims, scalars, tensors}, 2));
  Check rule;
  rule.rtol = rule.atol = 0;
  std::string at;
  for (const auto &[name, extent] : dims)
    at += fmt::format("{}={} ", name, extent);
  for (size_t i = 0; i < got.size(); ++i) {
    const Comparison comparison = check.check(i, got[i], rule);
    EXPECT_TRUE(comparison.passed)
        << at << "result " << i << ": " << comparison.wrong << " of " << comparison.elements
        << " wrong, got " << comparison.firstGot << ", expected " << comparison.firstExpected;
  }
}

void expectRightEverywhere(const std::string &text, const std::vector<Dims> &shapes,
                           const std::string &variant = "") {
  SCOPED_TRACE(text + " " + variant);
  Compiled compiled(text, "host", variant);
  for (const Dims &dims : shapes)
    for (DataKind kind : {DataKind::uniform, DataKind::special})
      expectRight(compiled, dims, kind);
}

std::string listOf(unsigned set) {
  std::string text;
  for (int d = 0; d < 3; ++d)
    if (set >> d & 1)
      text += (text.empty() ? "" : ", ") + std::string(1, "ABC"[d]);
  return text;
}

const std::vector<Dims> ragged = {
    {{"A", 1}, {"B", 1}, {"C", 1}},    {{"A", 2}, {"B", 15}, {"C", 17}},
    {{"A", 17}, {"B", 2}, {"C", 64}},  {{"A", 3}, {"B", 100}, {"C", 1}},
    {{"A", 1}, {"B", 9}, {"C", 1000}}, {{"A", 33}, {"B", 1}, {"C", 130}},
};

class EachReduction : public testing::TestWithParam<const char *> {};

TEST_P(EachReduction, overEverySetOfDimensions) {
  const std::string type = GetParam();
  const bool isInteger = type[0] == 'i';
  const std::string ofSum = isInteger ? "i32" : "f32", ofExtreme = isInteger ? type : "f32";
  for (unsigned along = 1; along < 8; ++along) {
    const std::string reduced = listOf(along), kept = listOf(7 & ~along),
                      shape = kept.empty() ? "" : "[" + kept + "]";
    std::string results = fmt::format("s: {1}{0}, m: {2}{0}, n: {2}{0}, a: f32{0}, e: f32{0}",
                                      shape, ofSum, ofExtreme);
    std::string body = fmt::format("s = sum[{0}](x); m = max[{0}](x); n = min[{0}](x); "
                                   "a = mean[{0}](x); e = select(any[{0}](x > 1), 1, "
                                   "select(all[{0}](x > -1), 2, 3));",
                                   reduced);
    if (!isInteger) {
      results += ", p: f32" + shape;
      body += fmt::format(" p = prod[{}](x);", reduced);
    }
    if (std::popcount(along) == 1) {
      results += fmt::format(", i: i32{0}, j: i32{0}", shape);
      body += fmt::format(" i = argmax[{0}](x); j = argmin[{0}](x);", reduced);
    }
    const std::string text =
        fmt::format("kernel k(x: {}[A, B, C]) -> {} {{ {} }}", type, results, body);
    expectRightEverywhere(text, ragged);
    expectRightEverywhere(text, {ragged[1]}, "fuse=none");
  }
}
INSTANTIATE_TEST_SUITE_P(types, EachReduction, testing::Values("f32", "f16", "bf16", "i8", "i32"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Rows, normsOverEachDimension) {
  for (const char *type : {"f32", "bf16"})
    for (const char *dim : {"A", "B", "C"}) {
      const std::string text = fmt::format(
          "kernel k(x: {0}[A, B, C], w: f32[C], v: f32[B, 1]) -> y: {0}[A, B, C], z: {0}[A, B, C], "
          "t: f32[A, B, C] {{ y = softmax[{1}](x); z = layer_norm[{1}](x + v, w, v, 0.00001); "
          "t = rms_norm[{1}](gelu(x) * w, w, 0.00001); }}",
          type, dim);
      expectRightEverywhere(text, ragged);
      expectRightEverywhere(text, {ragged[1]}, "fuse=none");
    }
}

// Inputs in another order than the space, and results with dimensions of extent 1.
TEST(Rows, ofTransposedOperandsAndUnitDimensions) {
  expectRightEverywhere("kernel k(x: f32[C, B], w: f16[B, C]) -> y: f32[B, C], s: f32[B, 1] { "
                        "y = softmax[C](transpose(x) + w); s = sum[C](transpose(x) * w); }",
                        {{{"B", 7}, {"C", 50}}, {{"B", 40}, {"C", 16}}});
  expectRightEverywhere("kernel k(x: f32[C, B], w: f16[B, C]) -> y: f32[B, C], s: f32[1, C] { "
                        "y = softmax[B](transpose(x) + w); s = sum[B](transpose(x) * w); }",
                        {{{"B", 7}, {"C", 50}}, {{"B", 40}, {"C", 16}}});
}

TEST(Rows, ofLiteralExtents) {
  expectRightEverywhere("kernel k(x: f16[M, 40]) -> y: f16[M, 40], s: f32[40] { "
                        "y = log_softmax[M](x); s = sum[M](x); }",
                        {{{"M", 1}}, {{"M", 33}}});
  expectRightEverywhere("kernel k(x: f16[40, M]) -> y: f16[40, M], s: f32[40, 1] { "
                        "y = log_softmax[M](x); s = sum[M](x); }",
                        {{{"M", 1}}, {{"M", 33}}});
}

// Longer than the scratch; and many rows of columns that are reduced in several passes.
TEST(Rows, thatDoNotFitTheCaches) {
  expectRightEverywhere("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }",
                        {{{"M", 2}, {"N", 70'001}}, {{"M", 3}, {"N", 32'760}}});
  expectRightEverywhere("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[M](x); }",
                        {{{"M", 9'001}, {"N", 77}}, {{"M", 5}, {"N", 9'000}}});
}

// Fewer results than threads: parts of the elements are reduced first.
TEST(Rows, ofWhichThreadsReduceParts) {
  const std::string results = " m: f32[B], a: f32[B], n: f32[B, 1] { "
                              "m = max[A, C](x * w); a = mean[A, C](x) * v; "
                              "n = select(any[A, C](x > 0.999), min[A, C](x), v); }";
  expectRightEverywhere("kernel k(x: f32[A, B, C], w: f32[C], v: f32[B, 1]) ->" + results,
                        {{{"A", 30'001}, {"B", 1}, {"C", 5}},
                         {{"A", 1}, {"B", 1}, {"C", 200'001}},
                         {{"A", 3}, {"B", 1}, {"C", 100'000}}});
  expectRightEverywhere("kernel k(x: i8[M, N]) -> s: i32[N], t: i32, m: i8 { s = sum[M](x); "
                        "t = sum[M, N](x); m = max[M, N](x); }",
                        {{{"M", 100'003}, {"N", 3}}, {{"M", 1}, {"N", 300'000}}});
}

// Conditions that bound the columns on one side, on both, or not; of rows and of columns; with
// positions as numbers beside them.
TEST(Rows, withConditions) {
  const std::vector<Dims> shapes = {{{"M", 1}, {"N", 1}},
                                    {{"M", 5}, {"N", 33}},
                                    {{"M", 70}, {"N", 64}},
                                    {{"M", 3}, {"N", 70'001}},
                                    {{"M", 900}, {"N", 17}}};
  for (const char *condition : {"j <= i", "j > i + 3", "i - 20 < j && j < i + 20", "j % 3 == 1",
                                "2 * j <= i", "j == i", "i < 4"}) {
    expectRightEverywhere(
        fmt::format("kernel k(x: f32[M, N]) -> s: f32[M], m: f32[M], n: f32[N] {{ "
                    "s[i] = sum[j | {0}](x[i, j]); m[i] = max[j | {0}](x[i, j]); "
                    "n[j] = sum[i | {0}](x[i, j] * i); }}",
                    condition),
        shapes);
    expectRightEverywhere(
        fmt::format("kernel k(x: f16[M, N]) -> y: f32[M, N] {{ "
                    "y[i, j] = select({0}, x[i, j] - max[j | {0}](x[i, j]), j); }}",
                    condition),
        shapes);
  }
}

/// Numbers of which one differs, at every place, and their extremes.
struct Extremes {
  double others, one, largest, least;
};

void expectSame(double got, double expected, const std::string &at) {
  EXPECT_EQ(std::isnan(got), std::isnan(expected)) << at;
  if (!std::isnan(expected)) {
    EXPECT_EQ(got, expected) << at;
    EXPECT_EQ(std::signbit(got), std::signbit(expected)) << at;
  }
}

// Of a narrow type they are found before it is widened.
TEST(Rows, extremesOfSpecialNumbers) {
  const double nan = std::nan(""), smallest = std::ldexp(1, -24);
  const Extremes cases[] = {
      {0.0, -0.0, 0.0, -0.0},       {-0.0, 0.0, 0.0, -0.0},       {-0.0, -0.0, -0.0, -0.0},
      {-1, nan, nan, nan},          {1, -nan, nan, nan},          {-INFINITY, -3, -3, -INFINITY},
      {INFINITY, -nan, nan, nan},   {-INFINITY, nan, nan, nan},   {INFINITY, 2, INFINITY, 2},
      {0, -smallest, 0, -smallest}, {-2, smallest, smallest, -2}, {-2, -1.5, -1.5, -2}};
  for (const char *type : {"f32", "f16", "bf16"})
    for (int64_t n : {5, 150, 1100}) {
      Compiled compiled(fmt::format("kernel k(x: {0}[C, P, N], z: {0}[N, C, P]) -> m: f32[C, P], "
                                    "l: {0}[C, P], u: {0}[C, P], v: f32[C, P] {{ "
                                    "m = max[N](x); l = min[N](x); u = max[N](z); v = min[N](z); "
                                    "}}",
                                    type),
                        "host");
      ASSERT_TRUE(compiled.ready());
      const int64_t places = std::min<int64_t>(n, 200), count = std::size(cases);
      const Dims dims = {{"C", count}, {"P", places}, {"N", n}};
      std::vector<Tensor> inputs = compiled.inputs(dims, DataKind::uniform);
      for (int64_t c = 0; c < count; ++c)
        for (int64_t place = 0; place < places; ++place)
          for (int64_t i = 0; i < n; ++i) {
            const double value = i == place * (n / places) ? cases[c].one : cases[c].others;
            inputs[0].set((c * places + place) * n + i, value);
            inputs[1].set((i * count + c) * places + place, value);
          }
      const std::vector<Tensor> got = compiled.run(dims, inputs);
      for (int64_t i = 0; i < count * places; ++i)
        for (size_t result = 0; result < got.size(); ++result) {
          const Extremes &expected = cases[i / places];
          expectSame(got[result][i], result % 2 ? expected.least : expected.largest,
                     fmt::format("{} of {} numbers, result {}, case {}, place {}", type, n, result,
                                 i / places, i % places));
        }
    }
}

/// A million times 0.1.
void expectSmallError(const std::string &text, const Dims &dims, int64_t results) {
  Compiled compiled(text, "host");
  ASSERT_TRUE(compiled.ready());
  std::vector<Tensor> inputs = compiled.inputs(dims, DataKind::uniform);
  for (int64_t i = 0; i < inputs[0].elements(); ++i)
    inputs[0].set(i, 0.1);
  const std::vector<Tensor> got = compiled.run(dims, inputs);
  const double expected = 0.1 * static_cast<double>(inputs[0].elements() / results);
  for (int64_t i = 0; i < results; ++i)
    EXPECT_NEAR(got[0][i] / expected, 1, 1e-5) << text;
}

TEST(Rows, sumsOfAMillionTerms) {
  const int64_t million = 1'000'000;
  expectSmallError("kernel k(x: f32[N]) -> s: f32 { s = sum[N](x); }", {{"N", million}}, 1);
  expectSmallError("kernel k(x: f32[M, N]) -> s: f32[M] { s = sum[N](x); }",
                   {{"M", 2}, {"N", million}}, 2);
  expectSmallError("kernel k(x: f32[M, N]) -> s: f32[N] { s = sum[M](x); }",
                   {{"M", million}, {"N", 3}}, 3);
  expectSmallError("kernel k(x: f32[B, M, N]) -> s: f32[M] { s = sum[B, N](x); }",
                   {{"B", million / 5}, {"M", 2}, {"N", 5}}, 2);
}

TEST(Rows, ofTheLargestNumbersAreInfinite) {
  for (const char *text : {"kernel k(x: f32[M, N]) -> s: f32[M] { s = sum[N](x); }",
                           "kernel k(x: f32[N, M]) -> s: f32[M] { s = sum[N](x); }"}) {
    Compiled compiled(text, "host");
    ASSERT_TRUE(compiled.ready());
    const Dims dims = {{"M", 1}, {"N", 100'000}};
    std::vector<Tensor> inputs = compiled.inputs(dims, DataKind::uniform);
    for (int64_t i = 0; i < inputs[0].elements(); ++i)
      inputs[0].set(i, 3e38);
    EXPECT_EQ(compiled.run(dims, inputs)[0][0], INFINITY);
  }
}

} // namespace
} // namespace mmk
