// Reductions over named dimensions: against plain loops, over every set of dimensions, with the
// values that break them; and the ranges of right results.
#include "reference/check.h"
#include "reference/reduction_range.h"
#include "tests/unit/reference_testing.h"
#include "tests/unit/special_values.h"

#include <fmt/format.h>
#include <random>

using namespace mmk;

namespace {

/// The elements of a tensor [2, 3, 4] that a set of dimensions (bits) joins, by result element.
std::vector<std::vector<double>> joined(const Tensor &x, unsigned along) {
  const int64_t extents[] = {2, 3, 4};
  std::map<int64_t, std::vector<double>> sets;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t at[] = {i / 12, i / 4 % 3, i % 4};
    int64_t result = 0;
    for (int d = 0; d < 3; ++d)
      if (!(along >> d & 1))
        result = result * extents[d] + at[d];
    sets[result].push_back(x[i]);
  }
  std::vector<std::vector<double>> all;
  for (auto &[result, set] : sets)
    all.push_back(std::move(set));
  return all;
}

std::string dimensionsOf(unsigned along, bool kept) {
  std::string text;
  for (int d = 0; d < 3; ++d)
    if ((along >> d & 1) != kept)
      text += (text.empty() ? "" : ", ") + std::string(1, "ABC"[d]);
  return text;
}

Tensor reduced(const std::string &name, unsigned along, ElementType from, ElementType to,
               const Tensor &x) {
  const std::string kept = dimensionsOf(along, true);
  const KernelText text(fmt::format(
      "kernel k(x: {}[A, B, C]) -> y: {}{} {{ y = {}[{}](x); }}", spelling(from), spelling(to),
      kept.empty() ? "" : "[" + kept + "]", name, dimensionsOf(along, false)));
  auto results = llvm::cantFail(text.evaluate({{"A", 2}, {"B", 3}, {"C", 4}}, {&x}));
  return std::move(results.front());
}

using Meaning = std::function<double(const std::vector<double> &)>;

double largest(const std::vector<double> &set) {
  double best = set[0];
  for (double x : set)
    best = std::isnan(best) || std::isnan(x) ? best + x : std::max(best, x);
  return best;
}

void expectEverywhere(const std::string &name, ElementType from, ElementType to,
                      const Meaning &meaning, unsigned mostDimensions = 3) {
  const Tensor x = seeded(from, {2, 3, 4}, 7);
  for (unsigned along = 1; along < 8; ++along) {
    if (std::popcount(along) > int(mostDimensions))
      continue;
    const Tensor y = reduced(name, along, from, to, x);
    const auto sets = joined(x, along);
    ASSERT_EQ(y.elements(), std::ssize(sets));
    for (size_t i = 0; i < sets.size(); ++i)
      expectSame(y[static_cast<int64_t>(i)], roundTo(to, meaning(sets[i])),
                 fmt::format("{} {} {}", name, along, i));
  }
}

double plainSum(const std::vector<double> &set) {
  double sum = 0;
  for (double x : set)
    sum += x;
  return sum;
}

double firstOf(const std::vector<double> &set, double value) {
  return static_cast<double>(std::ranges::find(set, value) - set.begin());
}

std::vector<double> one(const std::string &expression, const std::string &type,
                        const std::vector<double> &values, ElementType from = ElementType::f32) {
  const KernelText text(
      fmt::format("kernel k(x: {}[N]) -> y: {} {{ y = {}; }}", spelling(from), type, expression));
  const auto n = static_cast<int64_t>(values.size());
  const Tensor x = tensorOf(from, {n}, values);
  return valuesOf(llvm::cantFail(text.evaluate({{"N", n}}, {&x})).front());
}

} // namespace

TEST(Reductions, OverEverySetOfDimensions) {
  for (ElementType from :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::i32}) {
    const bool isInteger = !isFloat(from);
    const ElementType ofSum = isInteger ? ElementType::i32 : ElementType::f32,
                      ofExtreme = isInteger ? from : ElementType::f32;
    expectEverywhere("sum", from, ofSum, plainSum);
    expectEverywhere("max", from, ofExtreme, largest);
    expectEverywhere("min", from, ofExtreme,
                     [](const auto &set) { return *std::ranges::min_element(set); });
    expectEverywhere("mean", from, ElementType::f32, [](const auto &set) {
      return static_cast<float>(plainSum(set)) / static_cast<float>(set.size());
    });
    expectEverywhere("prod", from, ofSum, [isInteger](const auto &set) {
      double product = 1;
      uint32_t modulo = 1; // 2^32
      for (double x : set) {
        product *= x;
        modulo *= static_cast<uint32_t>(static_cast<int64_t>(x));
      }
      return isInteger ? static_cast<int32_t>(modulo) : product;
    });
    expectEverywhere(
        "argmax", from, ElementType::i32,
        [](const auto &set) { return firstOf(set, largest(set)); }, 1);
    expectEverywhere(
        "argmin", from, ElementType::i32,
        [](const auto &set) { return firstOf(set, *std::ranges::min_element(set)); }, 1);
  }
}

TEST(Reductions, OfSpecialValues) {
  const std::vector<double> withNaN = {1, notANumber, infinity, notANumber};
  EXPECT_TRUE(std::isnan(one("max[N](x)", "f32", withNaN)[0]));
  EXPECT_TRUE(std::isnan(one("min[N](x)", "f32", withNaN)[0]));
  EXPECT_TRUE(std::isnan(one("sum[N](x)", "f32", withNaN)[0]));
  EXPECT_EQ(one("argmax[N](x)", "i32", withNaN)[0], 1);
  EXPECT_EQ(one("argmin[N](x)", "i32", withNaN)[0], 1);
  EXPECT_EQ(one("argmax[N](x)", "i32", {-infinity, -infinity})[0], 0);
  EXPECT_EQ(one("argmax[N](x)", "i32", {-0.0, 0.0, -1})[0], 0); // equal: the first
  expectSame(one("max[N](x)", "f32", {-0.0, 0.0})[0], 0.0, "maximum of zeros");
  expectSame(one("max[N](x)", "f32", {-0.0, -0.0})[0], -0.0, "maximum of negative zeros");
  expectSame(one("min[N](x)", "f32", {0.0, -0.0})[0], -0.0, "minimum of zeros");
  EXPECT_EQ(one("max[N](x)", "f32", {-infinity, -infinity})[0], -infinity);
  EXPECT_EQ(one("sum[N](x)", "f32", {1e-45, 1e-45})[0], 2 * double(1e-45f));
  EXPECT_TRUE(std::isnan(one("sum[N](x)", "f32", {infinity, -infinity})[0]));
}

TEST(Reductions, SumsOfIntegersWrap) {
  EXPECT_EQ(one("sum[N](x)", "i32", {2147483647, 1}, ElementType::i32)[0], -2147483648.0);
  EXPECT_EQ(one("sum[N](x)", "i32", std::vector<double>(1000, 127), ElementType::i8)[0], 127000);
  EXPECT_EQ(one("cumsum[N](x)", "i32[N]", {2147483647, 1, 1}, ElementType::i32),
            (std::vector<double>{2147483647, -2147483648.0, -2147483647}));
}

TEST(Reductions, OfComparisons) {
  EXPECT_EQ(one("select(any[N](x > 2), 1, 0)", "f32", {1, 2, 3})[0], 1);
  EXPECT_EQ(one("select(any[N](x > 3), 1, 0)", "f32", {1, 2, 3})[0], 0);
  EXPECT_EQ(one("select(all[N](x > 0 && !(x > 3)), 1, 0)", "f32", {1, 2, 3})[0], 1);
  EXPECT_EQ(one("select(all[N](x > 1 || x < 0), 1, 0)", "f32", {1, 2, 3})[0], 0);
}

TEST(Reductions, OfAMillionTerms) {
  const std::vector<double> tenths(1'000'000, 0.1);
  EXPECT_EQ(one("sum[N](x)", "f32", tenths)[0], float(1e6 * double(0.1f)));
  EXPECT_EQ(one("mean[N](x)", "f32", tenths)[0], 0.1f);
}

TEST(Reductions, CumulativeSumsAlongEachDimension) {
  const Tensor x = tensorOf(ElementType::f32, {2, 3}, {1, 2, 3, 10, 20, 30});
  const KernelText text("kernel k(x: f32[M, N]) -> y: f32[M, N], z: f32[M, N] {"
                        "  y = cumsum[N](x); z = cumsum[M](x); }");
  const auto results = llvm::cantFail(text.evaluate({{"M", 2}, {"N", 3}}, {&x}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{1, 3, 6, 10, 30, 60}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{1, 2, 3, 11, 22, 33}));
}

TEST(Reductions, ADimensionIsANumber) {
  EXPECT_EQ(one("sum[N](x) * N + extent(N)", "f32", {1, 2, 3})[0], 21);
  const Tensor x = seeded(ElementType::f32, {2, 3, 4}, 1);
  const KernelText text("fn count[D](x) = sum[D](x * 0 + 1) - extent(D);\n"
                        "kernel k(x: f32[A, B, C]) -> y: f32[B] { y = count[A, C](x) + A * C; }");
  const auto results = llvm::cantFail(text.evaluate({{"A", 2}, {"B", 3}, {"C", 4}}, {&x}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{8, 8, 8}));
}

// A reduction in the middle of a kernel: of a product, of its transpose, into another product.
TEST(Reductions, BetweenProducts) {
  const Tensor a = tensorOf(ElementType::f32, {2, 2}, {1, 2, 3, 4}),
               b = tensorOf(ElementType::f32, {2, 2}, {1, 0, 0, 1});
  const KernelText text(
      "kernel k(a: f32[M, K], b: f32[K, N]) -> y: f32[M, K], z: f32[N], w: f32[1, N] {\n"
      "  let c = a @ b;\n  y = (c - max[N](c)) @ transpose(b) * sum[M, N](c);\n"
      "  z = sum[M](transpose(transpose(c))); w = transpose(sum[M](transpose(c))) - 4;\n"
      "}\n");
  const auto results = llvm::cantFail(text.evaluate({{"M", 2}, {"N", 2}, {"K", 2}}, {&a, &b}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{-10, 0, -10, 0}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{4, 6}));
  EXPECT_EQ(valuesOf(results[2]), (std::vector<double>{0, 2}));
}

TEST(Reductions, FunctionsOfThePrelude) {
  const std::vector<double> x = {1, 2, 3};
  const auto soft = one("softmax[N](x)", "f32[N]", x);
  EXPECT_NEAR(soft[0], 0.09003057, 1e-7);
  EXPECT_NEAR(soft[2], 0.66524096, 1e-7);
  EXPECT_NEAR(one("log_softmax[N](x)", "f32[N]", x)[1], -1.4076059, 1e-6);
  EXPECT_NEAR(one("logsumexp[N](x)", "f32", x)[0], 3.4076059, 1e-6);
  EXPECT_EQ(one("logsumexp[N](x)", "f32", {-infinity, -infinity})[0], -infinity);
  EXPECT_EQ(one("logsumexp[N](x)", "f32", {infinity, 0})[0], infinity);
  EXPECT_EQ(one("softmax[N](x)", "f32[N]", {1e30, 1e30}), (std::vector<double>{0.5, 0.5}));
  EXPECT_NEAR(one("variance[N](x)", "f32", x)[0], 2.0 / 3, 1e-7);
  EXPECT_NEAR(one("layer_norm[N](x, 2, 5, 0)", "f32[N]", x)[2], 5 + 2 * std::sqrt(1.5), 1e-6);
  EXPECT_NEAR(one("rms_norm[N](x, 3, 0)", "f32[N]", x)[0], 3 / std::sqrt(14.0 / 3), 1e-6);
  EXPECT_NEAR(one("l2_normalize[N](x, 1e-12)", "f32[N]", x)[1], 2 / std::sqrt(14.0), 1e-7);
  EXPECT_EQ(one("l2_normalize[N](x, 1)", "f32[N]", {0, 0}), (std::vector<double>{0, 0}));
}

namespace {

Range rangeOf(Reduction reduction, const std::vector<Range> &terms, double value) {
  const Value operation{.operation = Operation::reduce,
                        .type = ElementType::f32,
                        .shape = {},
                        .operands = {},
                        .reduction = reduction};
  return rangeOfReduction(operation, terms, value, Care::full);
}

std::vector<Range> exactly(const std::vector<double> &values) {
  std::vector<Range> terms;
  for (double value : values)
    terms.push_back(Range::exactly(value));
  return terms;
}

} // namespace

// Sums and products in f32, in random orders, are in the range; one that leaves out a term is not.
TEST(ReductionRanges, IncludeEveryOrder) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0.5F, 1.5F);
  std::vector<double> values(500);
  for (double &value : values)
    value = uniform(random);
  double sum = 0, product = 1;
  for (double value : values)
    sum += value, product *= value;
  const Range ofSum = rangeOf(Reduction::sum, exactly(values), static_cast<float>(sum)),
              ofProduct = rangeOf(Reduction::product, exactly(values), static_cast<float>(product));
  for (int order = 0; order < 200; ++order) {
    std::ranges::shuffle(values, random);
    float added = 0, multiplied = 1;
    for (double value : values)
      added += static_cast<float>(value), multiplied *= static_cast<float>(value);
    EXPECT_TRUE(ofSum.includes(added));
    EXPECT_TRUE(ofProduct.includes(multiplied));
  }
  EXPECT_FALSE(ofSum.includes(sum - values[0]));
  EXPECT_FALSE(ofSum.includes(sum + values[0]));
  EXPECT_FALSE(ofProduct.includes(product * 1.001));
}

TEST(ReductionRanges, OfExtremes) {
  EXPECT_TRUE(rangeOf(Reduction::maximum, exactly({1, 3, 2}), 3).isExact());
  const std::vector<Range> near = {{1, 0.9, 1.1, false}, {1.05, 1, 1.2, false}, {0, 0, 0, false}};
  const Range most = rangeOf(Reduction::maximum, near, 1.05);
  EXPECT_EQ(most.low, 1);
  EXPECT_EQ(most.high, 1.2);
  const Range position = rangeOf(Reduction::argmax, near, 1);
  EXPECT_TRUE(position.includes(0) && position.includes(1));
  EXPECT_FALSE(position.includes(2));
  EXPECT_TRUE(rangeOf(Reduction::argmax, exactly({2, 2, 1}), 0).isExact()); // the first of equals
  EXPECT_TRUE(rangeOf(Reduction::argmin, exactly({2, 1, 1}), 1).isExact());
  // The first of equals wins for certain, whatever the others are.
  const std::vector<Range> ahead = {{5, 5, 5, false}, {1, 0.5, 1.5, false}, {5, 5, 5, false}};
  EXPECT_FALSE(rangeOf(Reduction::argmax, ahead, 0).includes(2));
  EXPECT_TRUE(std::isnan(rangeOf(Reduction::maximum, exactly({1, notANumber}), notANumber).value));
}

// Where an order of multiplication overflows or underflows on the way, so may the result.
TEST(ReductionRanges, OfProductsThatLeaveF32OnTheWay) {
  EXPECT_TRUE(
      std::isnan(rangeOf(Reduction::product, exactly({2, notANumber, 3}), notANumber).value));
  EXPECT_FALSE(rangeOf(Reduction::product, exactly({2, notANumber, 3}), notANumber).includes(6));
  EXPECT_FALSE(rangeOf(Reduction::product, exactly({2, infinity, 3}), infinity).includes(6));
  const Range beyond = rangeOf(Reduction::product, exactly({1e20, 1e20, 1}), infinity);
  EXPECT_TRUE(beyond.includes(infinity));
  EXPECT_FALSE(beyond.includes(5) || beyond.includes(-infinity));
  const Range onTheWay = rangeOf(Reduction::product, exactly({1e30, 1e10, 1e-5}), 1e35);
  EXPECT_TRUE(onTheWay.includes(infinity) && onTheWay.includes(1e35));
  EXPECT_FALSE(onTheWay.includes(-infinity) || onTheWay.includes(1e34));
  const Range both = rangeOf(Reduction::product, exactly({1e30, 1e30, 1e-30, 1e-30}), 1);
  EXPECT_TRUE(both.includes(infinity) && both.includes(0) && both.includes(1));
  const Range zero = rangeOf(Reduction::product, exactly({0, 5, 7}), 0);
  EXPECT_TRUE(zero.isExact());
  EXPECT_FALSE(zero.includes(1e-10));
}

namespace {

/// Whether the check calls results wrong, by the bound of the rounding errors alone.
bool isWrong(const KernelText &text, const std::map<std::string, int64_t> &dims, const Tensor &x,
             const Tensor &got) {
  const std::vector<const Tensor *> tensors = {&x};
  const std::vector<double> scalars(1);
  auto check =
      llvm::cantFail(ResultCheck::create({text.kernel(), dims, scalars, tensors}, /*threads=*/2));
  Check rule;
  rule.rtol = rule.atol = 0;
  return check.check(0, got, rule).wrong > 0;
}

} // namespace

// A row summed in f32, in order, is right; one that leaves out an element is not.
TEST(ReductionRanges, InTheCheckOfARow) {
  const int64_t m = 3, n = 257;
  const Tensor x = seeded(ElementType::f32, {m, n}, 5, DataKind::normal);
  const KernelText mean("kernel k(x: f32[M, N]) -> y: f32[M] { y = mean[N](x); }"),
      soft("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }"),
      total("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = cumsum[N](x) - max[M](x); }");
  Tensor means = llvm::cantFail(Tensor::allocate(ElementType::f32, {m})),
         shares = llvm::cantFail(Tensor::allocate(ElementType::f32, {m, n})),
         sums = llvm::cantFail(Tensor::allocate(ElementType::f32, {m, n}));
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0, top = -INFINITY, expSum = 0;
    for (int64_t j = 0; j < n; ++j) {
      sum += static_cast<float>(x[i * n + j]);
      top = std::max(top, static_cast<float>(x[i * n + j]));
      float largestOfColumn = -INFINITY;
      for (int64_t l = 0; l < m; ++l)
        largestOfColumn = std::max(largestOfColumn, static_cast<float>(x[l * n + j]));
      sums.set(i * n + j, sum - largestOfColumn);
    }
    means.set(i, sum / n);
    for (int64_t j = 0; j < n; ++j)
      expSum += std::exp(static_cast<float>(x[i * n + j]) - top);
    for (int64_t j = 0; j < n; ++j)
      shares.set(i * n + j, std::exp(static_cast<float>(x[i * n + j]) - top) / expSum);
  }
  const std::map<std::string, int64_t> dims = {{"M", m}, {"N", n}};
  EXPECT_FALSE(isWrong(mean, dims, x, means));
  EXPECT_FALSE(isWrong(soft, dims, x, shares));
  EXPECT_FALSE(isWrong(total, dims, x, sums));
  means.set(1, means[1] - x[n] / n);
  shares.set(n, shares[n] * 1.0001);
  sums.set(5, sums[5] + x[5]);
  EXPECT_TRUE(isWrong(mean, dims, x, means));
  EXPECT_TRUE(isWrong(soft, dims, x, shares));
  EXPECT_TRUE(isWrong(total, dims, x, sums));
}
