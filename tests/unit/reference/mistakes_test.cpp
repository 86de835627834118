// The check against sums that are right in other orders, and against planted mistakes: every order
// passes, every mistake is found. With MMK_MISTAKES_TABLE=FILE the outcome is written as a table.
#include "reference/check.h"
#include "runtime/convert.h"
#include "runtime/threads.h"
#include "tests/unit/reference_testing.h"
#include "tests/unit/samples.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <functional>

namespace mmk {
namespace {

struct Problem {
  int64_t m, n, k;
  DataKind kind;
};

/// The rows of `a` and the columns of `b`, as floats, and a row that is added.
struct Numbers {
  int64_t m, n, k;
  std::vector<float> a, b, bias;

  /// A product of two f16 is exact in f32: the same with and without a fused operation.
  float term(int64_t i, int64_t j, int64_t at, float sum) const {
    return a[i * k + at] * b[j * k + at] + sum;
  }
};

/// One element of a product.
using Sum = std::function<float(const Numbers &, int64_t i, int64_t j)>;

float sumOf(const Numbers &all, int64_t i, int64_t j, int64_t begin, int64_t end, int64_t step) {
  float sum = 0;
  for (int64_t k = begin; k < end; k += step)
    sum = all.term(i, j, k, sum);
  return sum;
}

float inOrder(const Numbers &all, int64_t i, int64_t j) { return sumOf(all, i, j, 0, all.k, 1); }

float backwards(const Numbers &all, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t k = all.k; k-- > 0;)
    sum = all.term(i, j, k, sum);
  return sum;
}

float inLanes(const Numbers &all, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t lane = 0; lane < 16; ++lane)
    sum += sumOf(all, i, j, lane, all.k, 16);
  return sum;
}

float inParts(const Numbers &all, int64_t i, int64_t j) {
  const int64_t part = (all.k + 7) / 8;
  float sum = 0;
  for (int64_t k = 0; k < all.k; k += part)
    sum += sumOf(all, i, j, k, std::min(all.k, k + part), 1);
  return sum;
}

float inTiles(const Numbers &all, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t k = 0; k < all.k; k += 64)
    sum += sumOf(all, i, j, k, std::min(all.k, k + 64), 1);
  return sum;
}

/// From the third quarter on, then the rest.
float skewed(const Numbers &all, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t k = 0; k < all.k; ++k)
    sum = all.term(i, j, (k + all.k * 3 / 4) % all.k, sum);
  return sum;
}

float withoutLast(const Numbers &all, int64_t i, int64_t j) {
  return sumOf(all, i, j, 0, all.k - 1, 1);
}

float oneTwice(const Numbers &all, int64_t i, int64_t j) {
  return all.term(i, j, all.k / 2, inOrder(all, i, j));
}

float edgeWithoutLast(const Numbers &all, int64_t i, int64_t j) {
  return i == all.m - 1 ? withoutLast(all, i, j) : inOrder(all, i, j);
}

float edgeOfNeighbour(const Numbers &all, int64_t i, int64_t j) {
  return inOrder(all, i, j == all.n - 1 && j > 0 ? j - 1 : j);
}

float inHalf(const Numbers &all, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t k = 0; k < all.k; ++k)
    sum = static_cast<float>(static_cast<_Float16>(all.term(i, j, k, sum)));
  return sum;
}

/// A way to compute c = a @ b + bias.
struct Way {
  const char *name;
  Sum sum;
  int64_t biasOffset = 0;     ///< of the row that is read
  bool roundsProduct = false; ///< to the type of the result, before the row is added
};

const std::vector<Way> &rightWays() {
  static const std::vector<Way> ways = {{"in order", inOrder},    {"backwards", backwards},
                                        {"16 lanes", inLanes},    {"8 parts", inParts},
                                        {"tiles of 64", inTiles}, {"skewed", skewed}};
  return ways;
}

const std::vector<Way> &mistakes() {
  static const std::vector<Way> ways = {
      {"last term dropped", withoutLast},
      {"one term twice", oneTwice},
      {"last term dropped in the last row", edgeWithoutLast},
      {"last column is its neighbour", edgeOfNeighbour},
      {"next element of the bias", inOrder, 1},
      {"accumulator in f16", inHalf},
      {"product rounded before the bias", inOrder, 0, true},
  };
  return ways;
}

std::vector<float> floatsOf(const Tensor &tensor) {
  std::vector<double> wide(tensor.elements());
  widen(tensor.data(), tensor.type, wide.data(), tensor.elements());
  return {wide.begin(), wide.end()};
}

/// The check of `a @ b + bias`, with results of one type.
class TypedCheck {
public:
  TypedCheck(ElementType result, const Problem &problem, std::vector<const Tensor *> tensors)
      : kernel_(std::string("kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: ") +
                std::string(spelling(result)) + "[M, N] { c = a @ b + bias; }"),
        dims_{{"M", problem.m}, {"N", problem.n}, {"K", problem.k}}, tensors_(std::move(tensors)),
        check_(
            llvm::cantFail(ResultCheck::create({kernel_.kernel(), dims_, scalars_, tensors_}, 2))) {
  }

  Comparison check(const Tensor &got) const { return check_.check(0, got, kernel_.kernel().check); }

private:
  const KernelText kernel_;
  const std::map<std::string, int64_t> dims_;
  const std::vector<double> scalars_ = {0, 0, 0};
  const std::vector<const Tensor *> tensors_;
  const ResultCheck check_;
};

/// One problem with its references.
class Planted {
public:
  explicit Planted(const Problem &problem)
      : a_(seeded(ElementType::f16, {problem.m, problem.k}, 1, problem.kind)),
        b_(seeded(ElementType::f16, {problem.k, problem.n}, 2, problem.kind)),
        bias_(seeded(ElementType::f32, {problem.n}, 3,
                     problem.kind == DataKind::special ? DataKind::uniform : problem.kind)),
        numbers_{problem.m, problem.n, problem.k, floatsOf(a_), {}, floatsOf(bias_)},
        wide_(ElementType::f32, problem, {&a_, &b_, &bias_}),
        half_(ElementType::f16, problem, {&a_, &b_, &bias_}) {
    const std::vector<float> rows = floatsOf(b_);
    for (int64_t j = 0; j < problem.n; ++j)
      for (int64_t k = 0; k < problem.k; ++k)
        numbers_.b.push_back(rows[k * problem.n + j]);
    inOrder_ = sums(inOrder);
  }

  /// Of all elements.
  std::vector<float> sums(const Sum &sum) const {
    std::vector<float> all(numbers_.m * numbers_.n);
    parallelFor(numbers_.m, 2, [&](int64_t i, unsigned) {
      for (int64_t j = 0; j < numbers_.n; ++j)
        all[i * numbers_.n + j] = sum(numbers_, i, j);
    });
    return all;
  }
  const std::vector<float> &inOrderSums() const { return inOrder_; }

  Tensor finish(const std::vector<float> &sums, const Way &way, ElementType type) const {
    const int64_t n = numbers_.n;
    Tensor result = llvm::cantFail(Tensor::allocate(type, {numbers_.m, n}));
    for (int64_t i = 0; i < result.elements(); ++i) {
      const double sum = way.roundsProduct ? roundTo(type, sums[i]) : sums[i];
      result.set(i, static_cast<float>(sum + numbers_.bias[(i + way.biasOffset) % n]));
    }
    return result;
  }

  Comparison check(const Tensor &got) const {
    return (got.type == ElementType::f32 ? wide_ : half_).check(got);
  }

private:
  const Tensor a_, b_, bias_;
  Numbers numbers_;
  const TypedCheck wide_, half_;
  std::vector<float> inOrder_;
};

const std::vector<int64_t> depths = {16, 100, 1000, 4096, 40000, 1000000};

/// The sizes of the table in docs/check.md take minutes; otherwise deep products are of fewer
/// elements, and the deepest of one kind of data.
std::vector<Problem> problems() {
  const bool isWhole = std::getenv("MMK_MISTAKES_TABLE") || takesAllSamples();
  std::vector<Problem> all;
  for (const std::string &name : dataKindNames())
    for (int64_t k : depths) {
      const DataKind kind = *dataKindFromSpelling(name);
      if (k > 40000 && !isWhole && kind != DataKind::uniform)
        continue;
      const bool isSmall = k > 40000 || (k > 10000 && !isWhole);
      all.push_back(isSmall ? Problem{12, 16, k, kind} : Problem{33, 29, k, kind});
    }
  return all;
}

std::string kindOf(const Problem &problem) {
  return dataKindNames()[static_cast<size_t>(problem.kind)];
}

std::string nameOf(const Problem &problem) {
  return kindOf(problem) + " K=" + std::to_string(problem.k);
}

bool isSame(const Tensor &x, const Tensor &y) {
  for (int64_t i = 0; i < x.elements(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i])))
      return false;
  return true;
}

/// A rounding of the product is a mistake of results in f16 alone; in f32 it is none.
ElementType typeFor(const Way &way) {
  return way.roundsProduct ? ElementType::f16 : ElementType::f32;
}

TEST(Mistakes, EveryOrderOfSummationPasses) {
  for (const Problem &problem : problems()) {
    const Planted planted(problem);
    for (const Way &way : rightWays()) {
      const std::vector<float> sums = planted.sums(way.sum);
      for (ElementType type : {ElementType::f32, ElementType::f16}) {
        const Comparison result = planted.check(planted.finish(sums, way, type));
        EXPECT_TRUE(result.passed) << nameOf(problem) << ", " << way.name;
        EXPECT_EQ(result.wrong, 0) << nameOf(problem) << ", " << way.name;
        EXPECT_EQ(result.unexplained, 0)
            << nameOf(problem) << ", " << way.name << ": got " << result.unexplainedGot
            << ", expected " << result.unexplainedExpected << ", rounding "
            << result.unexplainedRounding;
      }
    }
  }
}

/// "12 of 957" wrong elements, "sample, 20 of 467", or "same" where the mistake changes nothing.
std::string outcome(const Planted &planted, const Way &way, const std::string &where) {
  const ElementType type = typeFor(way);
  const Tensor right = planted.finish(planted.inOrderSums(), rightWays().front(), type);
  const bool isInOrder = way.biasOffset != 0 || way.roundsProduct;
  const Tensor wrong =
      planted.finish(isInOrder ? planted.inOrderSums() : planted.sums(way.sum), way, type);
  if (isSame(right, wrong))
    return "same";
  const Comparison result = planted.check(wrong);
  EXPECT_FALSE(result.passed) << way.name << ", " << where;
  if (result.passed)
    return "missed";
  return result.wrong > 0 ? fmt::format("{} of {}", result.wrong, result.elements)
                          : fmt::format("sample, {} of {}", result.unexplained, result.sampled);
}

TEST(Mistakes, EachIsFound) {
  std::map<std::string, std::string> rows; // by mistake and kind of data
  for (const Problem &problem : problems()) {
    const Planted planted(problem);
    for (const Way &way : mistakes())
      rows[std::string(way.name) + " | " + kindOf(problem)] +=
          " " + outcome(planted, way, nameOf(problem)) + " |";
  }
  const char *file = std::getenv("MMK_MISTAKES_TABLE");
  if (!file)
    return;
  std::ofstream table(file);
  table << "| mistake | data |";
  for (int64_t k : depths)
    table << " K = " << k << " |";
  table << "\n|---|---|---|---|---|---|---|---|\n";
  for (const Way &way : mistakes())
    for (const std::string &kind : dataKindNames()) {
      const std::string key = std::string(way.name) + " | " + kind;
      table << "| " << key << " |" << rows[key] << "\n";
    }
}

} // namespace
} // namespace mmk
