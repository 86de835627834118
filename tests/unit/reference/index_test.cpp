// Index notation: against the same in dimension notation, and against plain loops.
#include "reference/check.h"
#include "tests/unit/reference_testing.h"

#include <fmt/format.h>
#include <functional>
#include <limits>

using namespace mmk;

namespace {

using Dims = std::map<std::string, int64_t>;

const Dims dims = {{"M", 5}, {"N", 7}, {"K", 6}, {"B", 2}, {"H", 4}, {"G", 2}, {"P", 3}, {"C", 3}};

/// The results of a kernel on inputs that depend on their place alone.
std::vector<Tensor> results(const std::string &text, std::vector<double> scalars = {},
                            const Dims &at = dims) {
  const KernelText kernel("kernel k" + text);
  std::vector<Tensor> inputs;
  std::vector<const Tensor *> tensors;
  for (const Parameter &parameter : kernel.kernel().parameters) {
    std::vector<int64_t> extents;
    for (const Dimension &dimension : parameter.shape)
      extents.push_back(dimension.isLiteral() ? dimension.literal : at.at(dimension.name));
    inputs.push_back(seeded(parameter.type, extents, inputs.size() + 1));
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors.push_back(kernel.kernel().parameters[i].isScalar() ? nullptr : &inputs[i]);
  Dims all = at;
  EXPECT_EQ(completeDimensions(kernel.kernel(), all), "");
  return llvm::cantFail(kernel.evaluate(all, tensors, std::move(scalars)));
}

struct Pair {
  const char *indexed, *plain;
};

const Pair pairs[] = {
    {"(x: f32[M, N], r: f32[N], q: f32[M, 1]) -> y: f32[M, N] {"
     "  y[i, j] = x[i, j] * r[j] + q[i, 0]; }",
     "(x: f32[M, N], r: f32[N], q: f32[M, 1]) -> y: f32[M, N] { y = x * r + q; }"},
    {"(x: f32[M, N]) -> y: f32[N, M] { y[j, i] = x[i, j] - i; }",
     "(x: f32[M, N]) -> y: f32[N, M] { let one = select(x == x, 1, 0);"
     "  y = transpose(x - (cumsum[M](one) - 1)); }"},
    {"(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c[i, j] = sum[k](a[i, k] * b[k, j]); }",
     "(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }"},
    {"(a: f16[M, K], b: f16[K, N]) -> c: f32[N, M] { c[j, i] = sum[k](a[i, k] * b[k, j]); }",
     "(a: f16[M, K], b: f16[K, N]) -> c: f32[N, M] { c = transpose(a @ b); }"},
    {"(a: i8[B, M, K], w: i8[N, K]) -> c: i32[B, M, N] {"
     "  c[b, i, j] = sum[k](a[b, i, k] * w[j, k]); }",
     "(a: i8[B, M, K], w: i8[N, K]) -> c: i32[B, M, N] { c = a @ transpose(w); }"},
    {"(x: f32[M, N]) -> y: f32[M, N] { y[i, j] = softmax[j](x[i, j]); }",
     "(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }"},
    {"(x: f32[M, N]) -> y: f32[M], t: f32 { y[i] = logsumexp[j](x[i, j]); t = mean[i, j](x[i, j]); "
     "}",
     "(x: f32[M, N]) -> y: f32[M], t: f32 { y = logsumexp[N](x); t = mean[M, N](x); }"},
    {"(x: f32[M, N]) -> y: i32[N], c: f32[M, N] {"
     "  y[j] = argmax[i](x[i, j]); c[i, j] = cumsum[j](x[i, j]); }",
     "(x: f32[M, N]) -> y: i32[N], c: f32[M, N] { y = argmax[M](x); c = cumsum[N](x); }"},
    {"(x: f32[M, N]) -> y: f32[M] { let t[j, i] = 2 * x[i, j]; y[i] = sum[j](t[j, i]); }",
     "(x: f32[M, N]) -> y: f32[M] { y = sum[N](2 * x); }"},
};

} // namespace

TEST(IndexNotation, AgreesWithDimensionNotation) {
  for (const Pair &pair : pairs) {
    const std::vector<Tensor> got = results(pair.indexed), expected = results(pair.plain);
    for (size_t r = 0; r < got.size(); ++r)
      for (int64_t i = 0; i < got[r].elements(); ++i)
        expectSame(got[r][i], expected[r][i], pair.indexed);
  }
}

namespace {

/// Compares the result with a plain function of the inputs and of the place.
void expectElements(
    const std::string &text, std::vector<std::vector<int64_t>> shapes, std::vector<int64_t> result,
    const std::function<double(const std::vector<Tensor> &, const std::vector<int64_t> &)> &element,
    ElementType type = ElementType::f32) {
  const std::vector<Tensor> got = results(text);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(seeded(type, shapes[i], i + 1));
  ASSERT_EQ(got[0].shape, result) << text;
  for (int64_t i = 0; i < got[0].elements(); ++i) {
    std::vector<int64_t> at(result.size());
    int64_t rest = i;
    for (size_t d = result.size(); d-- > 0; rest /= result[d])
      at[d] = rest % result[d];
    expectSame(got[0][i], element(inputs, at), text + " at " + std::to_string(i));
  }
}

} // namespace

TEST(IndexNotation, ReadsAffineIndices) {
  expectElements("(x: f32[M, N]) -> y: f32[N] { y[j] = x[M - 1, N - 1 - j] + x[2, 0]; }", {{5, 7}},
                 {7}, [](auto &in, auto &at) { return in[0][28 + 6 - at[0]] + in[0][14]; });
  expectElements("(x: f32[H], step: int = 2) -> y: f32[P] {"
                 "  dim P = H - 1; y[p] = sum[r: step](x[p + r] * (r + 1)); }",
                 {{4}}, {3},
                 [](auto &in, auto &at) { return in[0][at[0]] + 2 * in[0][at[0] + 1]; });
  expectElements("(x: f32[G, N], z: f32[H]) -> y: f32[H, N] { require H == G * 2;"
                 "  y[h, j] = x[h / 2, j] + z[h]; }",
                 {{2, 7}, {4}}, {4, 7},
                 [](auto &in, auto &at) { return in[0][at[0] / 2 * 7 + at[1]] + in[1][at[0]]; });
  expectElements("(x: f32[M, M]) -> y: f32[M] { y[i] = x[i, i] + x[i % 2, 0]; }", {{5, 5}}, {5},
                 [](auto &in, auto &at) { return in[0][at[0] * 6] + in[0][at[0] % 2 * 5]; });
}

TEST(IndexNotation, PadsOutside) {
  expectElements("(x: f32[N], edge: int = 1) -> y: f32[N] {"
                 "  y[i] = sum[r: 3](pad(x, 10)[i + r - edge]); }",
                 {{7}}, {7}, [](auto &in, auto &at) {
                   double sum = 0;
                   for (int64_t r = at[0] - 1; r <= at[0] + 1; ++r)
                     sum += r < 0 || r > 6 ? 10 : in[0][r];
                   return sum;
                 });
  expectElements(
      "(x: f32[B, C, M, N], w: f32[P, C, 3, 3]) -> y: f32[B, P, M, N] {"
      "  y[n, o, p, q] = sum[c, r, s](pad(x, 0)[n, c, p + r - 1, q + s - 1] * w[o, c, r, s]);"
      "}",
      {{2, 3, 5, 7}, {3, 3, 3, 3}}, {2, 3, 5, 7}, [](auto &in, auto &at) {
        double sum = 0;
        for (int64_t c = 0; c < 3; ++c)
          for (int64_t r = 0; r < 3; ++r)
            for (int64_t s = 0; s < 3; ++s) {
              const int64_t p = at[2] + r - 1, q = at[3] + s - 1;
              if (p >= 0 && p < 5 && q >= 0 && q < 7)
                sum += in[0][((at[0] * 3 + c) * 5 + p) * 7 + q] *
                       in[1][((at[1] * 3 + c) * 3 + r) * 3 + s];
            }
        return sum;
      });
}

TEST(IndexNotation, ReducesWhereAConditionHolds) {
  expectElements("(x: f32[M, N]) -> y: f32[M] { y[i] = sum[j | j <= i + N - M](x[i, j]); }",
                 {{5, 7}}, {5}, [](auto &in, auto &at) {
                   double sum = 0;
                   for (int64_t j = 0; j <= at[0] + 2; ++j)
                     sum += in[0][at[0] * 7 + j];
                   return sum;
                 });
  // An empty set has the identity.
  expectElements("(x: f32[M, N]) -> y: f32[M] { y[i] = max[j | j < i](x[i, j]); }", {{5, 7}}, {5},
                 [](auto &in, auto &at) {
                   double most = -std::numeric_limits<double>::infinity();
                   for (int64_t j = 0; j < at[0]; ++j)
                     most = std::max(most, in[0][at[0] * 7 + j]);
                   return most;
                 });
  expectElements("(x: f32[M, N], length: f32[M]) -> y: f32[M] {"
                 "  y[i] = mean[j | j == i || j > 4 && length[i] == length[i]](x[i, j]); }",
                 {{5, 7}, {5}}, {5}, [](auto &in, auto &at) {
                   const int64_t row = at[0] * 7;
                   double sum = in[0][row + 5] + in[0][row + 6] + in[0][row + at[0]];
                   return double(float(float(sum) / 3.0f));
                 });
}

// Neither NaN nor an infinity that is left out reaches the result, also behind a product.
TEST(IndexNotation, ReadsNothingThatTheConditionLeavesOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = -std::log(0.0);
  const Tensor p = tensorOf(ElementType::f16, {2, 3}, {1, nan, inf, 1, 2, nan}),
               v = tensorOf(ElementType::f16, {3, 1}, {4, inf, nan});
  const KernelText text("kernel k(p: f16[M, N], v: f16[N, D]) -> o: f32[M, D] {"
                        "  o[i, d] = sum[j | j <= 0](p[i, j] * v[j, d]); }");
  const auto got = llvm::cantFail(text.evaluate({{"M", 2}, {"N", 3}, {"D", 1}}, {&p, &v}));
  EXPECT_EQ(valuesOf(got[0]), (std::vector<double>{4, 4}));
  const KernelText soft("kernel k(x: f16[M, N]) -> y: f32[M, N] {"
                        "  y[i, j] = select(j <= i, softmax[j | j <= i](x[i, j]), 0); }");
  const auto shares = llvm::cantFail(soft.evaluate({{"M", 2}, {"N", 3}}, {&p}));
  EXPECT_EQ(shares[0][0], 1);
  EXPECT_NEAR(shares[0][3] + shares[0][4], 1, 1e-6);
  EXPECT_EQ(shares[0][5], 0);
}

// The condition has variables of the left operand, of the right one, of both, of none, or one that
// neither has.
TEST(IndexNotation, MultipliesWhereAConditionHolds) {
  struct Form {
    const char *condition;
    std::function<bool(int64_t b, int64_t i, int64_t j, int64_t d)> holds;
  };
  for (const Form &form :
       std::vector<Form>{{"j <= i", [](auto, auto i, auto j, auto) { return j <= i; }},
                         {"j >= d", [](auto, auto, auto j, auto d) { return j >= d; }},
                         {"j <= i + d", [](auto, auto i, auto j, auto d) { return j <= i + d; }},
                         {"j != 3", [](auto, auto, auto j, auto) { return j != 3; }},
                         {"j + b != 3", [](auto b, auto, auto j, auto) { return j + b != 3; }},
                         {"i > 1", [](auto, auto i, auto, auto) { return i > 1; }}})
    for (const char *order : {"b, i, d", "b, d, i"}) {
      SCOPED_TRACE(form.condition);
      const bool swaps = order[3] == 'd';
      expectElements(fmt::format("(p: f16[B, M, N], v: f16[N, H]) -> o: f32[{}] {{"
                                 "  o[{}] = sum[j | {}](p[b, i, j] * v[j, d]); }}",
                                 swaps ? "B, H, M" : "B, M, H", order, form.condition),
                     {{2, 5, 7}, {7, 4}},
                     swaps ? std::vector<int64_t>{2, 4, 5} : std::vector<int64_t>{2, 5, 4},
                     [&](auto &in, auto &at) {
                       const int64_t b = at[0], i = at[swaps ? 2 : 1], d = at[swaps ? 1 : 2];
                       double sum = 0;
                       for (int64_t j = 0; j < 7; ++j)
                         if (form.holds(b, i, j, d))
                           sum += in[0][(b * 5 + i) * 7 + j] * in[1][j * 4 + d];
                       return sum;
                     });
    }
  expectElements("(p: f16[B, N], v: f16[N, H], t: f32[M]) -> o: f32[B, M, H] {"
                 "  o[b, i, d] = sum[j | j <= i](p[b, j] * v[j, d]) + 0 * t[i]; }",
                 {{2, 7}, {7, 4}, {5}}, {2, 5, 4}, [](auto &in, auto &at) {
                   double sum = 0;
                   for (int64_t j = 0; j <= at[1]; ++j)
                     sum += in[0][at[0] * 7 + j] * in[1][j * 4 + at[2]];
                   return sum;
                 });
}

// What one row leaves out and another reads.
TEST(IndexNotation, LeavesOutByRows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor p = tensorOf(ElementType::f16, {2, 2}, {3, nan, 1, 2}),
               v = tensorOf(ElementType::f16, {2, 1}, {4, nan});
  const KernelText text("kernel k(p: f16[M, N], v: f16[N, D]) -> o: f32[M, D] {"
                        "  o[i, d] = sum[j | j <= i](p[i, j] * v[j, d]); }");
  const auto got = llvm::cantFail(text.evaluate({{"M", 2}, {"N", 2}, {"D", 1}}, {&p, &v}));
  EXPECT_EQ(got[0][0], 12);
  EXPECT_TRUE(std::isnan(got[0][1]));
}

// Whole numbers are compared exactly, beyond what f32 can tell apart.
TEST(IndexNotation, ComparesWholeNumbersExactly) {
  expectElements("(x: f32[N], far: int = 1000000007) -> y: f32[N] {"
                 "  y[i] = select(far * 16 + i == far * 16 + 3, x[i], floor(i / 2)); }",
                 {{7}}, {7},
                 [](auto &in, auto &at) { return at[0] == 3 ? in[0][3] : double(at[0] / 2); });
}

// A function reads the position along its dimension, and its extent.
TEST(IndexNotation, FunctionsReadPositions) {
  const KernelText text(
      "fn last[D](x) = sum[D](select(index(D) == extent(D) - 1, x, 0));"
      "kernel k(x: f32[M, N]) -> y: f32[M] { y[i] = last[j](x[i, j]) + extent(N); }");
  const Tensor x = tensorOf(ElementType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(valuesOf(llvm::cantFail(text.evaluate({{"M", 2}, {"N", 3}}, {&x}))[0]),
            (std::vector<double>{6, 9}));
}

// An element that a condition excludes from some rows alone may be multiplied by 0; none that a
// comparison excludes from all rows, and none that is read.
TEST(IndexNotation, TakesNaNForRightWhereAnExcludedElementMayBeMultiplied) {
  const struct {
    const char *condition;
    int64_t position; ///< of the NaN
    bool isRight;     ///< of the first row, which excludes it
  } forms[] = {{"j <= i", 2, true},
               {"j <= i", 5, false},
               {"j >= i + 3", 2, false},
               {"j <= i && j < 2", 2, false},
               {"j < i && j < l[i]", 3, false},
               {"(i + j) % 4 == 0", 5, true},
               {"j <= i && (i + j) % 2 == 0", 5, false}};
  const int64_t rows = 4, depth = 6;
  for (const auto &form : forms) {
    SCOPED_TRACE(fmt::format("{} at {}", form.condition, form.position));
    const Tensor a = seeded(ElementType::f32, {rows, depth}, 5, DataKind::integers);
    Tensor v = seeded(ElementType::f32, {depth, 1}, 6, DataKind::integers);
    v.set(form.position, std::numeric_limits<double>::quiet_NaN());
    Tensor lengths = llvm::cantFail(Tensor::allocate(ElementType::i32, {rows}));
    for (int64_t i = 0; i < rows; ++i)
      lengths.set(i, 3);
    const KernelText text(
        fmt::format("kernel k(a: f32[M, N], v: f32[N, 1], l: i32[M]) -> o: f32[M, 1] {{"
                    "  o[i, e] = sum[j | {}](a[i, j] * v[j, e]); }}",
                    form.condition));
    const std::vector<const Tensor *> tensors = {&a, &v, &lengths};
    const std::vector<double> scalars(3);
    const Dims at = {{"M", rows}, {"N", depth}};
    auto check = llvm::cantFail(ResultCheck::create({text.kernel(), at, scalars, tensors}, 2));
    Tensor found = llvm::cantFail(Tensor::allocate(ElementType::f32, {rows, 1}));
    for (int64_t i = 0; i < rows; ++i)
      found.set(i, check.expected(0)[i]);
    EXPECT_FALSE(std::isnan(found[0]));
    EXPECT_EQ(check.check(0, found, Check()).wrong, 0);
    found.set(0, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(check.check(0, found, Check()).wrong, form.isRight ? 0 : 1);
  }
}

// The bound of the rounding errors follows a sum through accesses and conditions.
TEST(IndexNotation, IsCheckedByTheBoundOfItsSums) {
  const int64_t n = 257;
  const Tensor x = seeded(ElementType::f32, {n, n}, 5, DataKind::normal);
  const KernelText text("kernel k(x: f32[M, M]) -> y: f32[M] {"
                        "  y[i] = sum[j | j <= i](x[j, i] + pad(x, 1)[i - j, j - 1]); }");
  const std::vector<const Tensor *> tensors = {&x};
  const std::vector<double> scalars(1);
  const Dims at = {{"M", n}};
  auto check = llvm::cantFail(ResultCheck::create({text.kernel(), at, scalars, tensors}, 2));
  Tensor sums = llvm::cantFail(Tensor::allocate(ElementType::f32, {n}));
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int64_t j = 0; j <= i; ++j)
      sum += static_cast<float>(x[j * n + i]) +
             (j == 0 ? 1.0f : static_cast<float>(x[(i - j) * n + j - 1]));
    sums.set(i, sum);
  }
  Check rule;
  rule.rtol = rule.atol = 0;
  EXPECT_EQ(check.check(0, sums, rule).wrong, 0);
  sums.set(200, sums[200] - x[100 * n + 200]);
  EXPECT_EQ(check.check(0, sums, rule).wrong, 1);
}
