// Elementwise operations one by one, with the values that break kernels; broadcasting; rounding.
#include "reference/elementwise.h"
#include "reference/operations.h"
#include "tests/unit/reference_testing.h"
#include "tests/unit/special_values.h"

#include <functional>

using namespace mmk;

namespace {

const std::vector<double> edges = {0.0,        -0.0,     1,         -1,        0.5,   -0.5,
                                   2.5,        -2.5,     1e-40,     3e38,      -3e38, 88.8,
                                   16777217.0, infinity, -infinity, notANumber};

/// The results of one operation on rows of numbers, which are rounded to f32 first, as every value
/// is.
std::vector<double> apply(Operation operation, ElementType type,
                          std::vector<std::vector<double>> rows) {
  Value value{operation, type, {}, {}, 0, 0, {}, ""};
  value.operands.resize(rows.size());
  std::vector<const double *> pointers;
  for (std::vector<double> &row : rows) {
    for (double &x : row)
      x = roundTo(ElementType::f32, x);
    pointers.push_back(row.data());
  }
  std::vector<double> result(rows[0].size());
  applyElementwise(value, pointers.data(), result.data(), static_cast<int64_t>(result.size()));
  return result;
}

void expectUnary(Operation operation, const std::function<float(double)> &meaning) {
  const std::vector<double> got = apply(operation, ElementType::f32, {edges});
  for (size_t i = 0; i < edges.size(); ++i)
    expectSame(got[i], meaning(roundTo(ElementType::f32, edges[i])),
               "of " + std::to_string(edges[i]));
}

void expectBinary(Operation operation, const std::function<double(float, float)> &meaning) {
  std::vector<double> x, y;
  for (double a : edges)
    for (double b : edges)
      x.push_back(a), y.push_back(b);
  const std::vector<double> got = apply(operation, ElementType::f32, {x, y});
  for (size_t i = 0; i < x.size(); ++i)
    expectSame(got[i], meaning(static_cast<float>(x[i]), static_cast<float>(y[i])),
               "of " + std::to_string(x[i]) + " and " + std::to_string(y[i]));
}

} // namespace

TEST(ReferenceOperations, Unary) {
  expectUnary(Operation::negate, [](double x) { return -x; });
  expectUnary(Operation::abs, [](double x) { return std::fabs(x); });
  expectUnary(Operation::exp, [](double x) { return std::exp(x); });
  expectUnary(Operation::log, [](double x) { return std::log(x); });
  expectUnary(Operation::sqrt, [](double x) { return std::sqrt(x); });
  expectUnary(Operation::tanh, [](double x) { return std::tanh(x); });
  expectUnary(Operation::erf, [](double x) { return std::erf(x); });
  expectUnary(Operation::floor, [](double x) { return std::floor(x); });
  expectUnary(Operation::ceil, [](double x) { return std::ceil(x); });
}

// Against the arithmetic of float itself: rounding a double result must not differ from it.
TEST(ReferenceOperations, ArithmeticIsThatOfF32) {
  expectBinary(Operation::add, [](float x, float y) { return x + y; });
  expectBinary(Operation::subtract, [](float x, float y) { return x - y; });
  expectBinary(Operation::multiply, [](float x, float y) { return x * y; });
  expectBinary(Operation::divide, [](float x, float y) { return x / y; });
}

TEST(ReferenceOperations, ComparisonsAreFalseOnNaNButNotEqual) {
  expectBinary(Operation::equal, [](float x, float y) { return x == y; });
  expectBinary(Operation::notEqual, [](float x, float y) { return x != y; });
  expectBinary(Operation::less, [](float x, float y) { return x < y; });
  expectBinary(Operation::lessEqual, [](float x, float y) { return x <= y; });
  expectBinary(Operation::greater, [](float x, float y) { return x > y; });
  expectBinary(Operation::greaterEqual, [](float x, float y) { return x >= y; });
  EXPECT_EQ(apply(Operation::notEqual, ElementType::boolean, {{notANumber}, {notANumber}}),
            std::vector<double>{1});
}

TEST(ReferenceOperations, MinimumAndMaximumPropagateNaN) {
  const auto minimum = [](float x, float y) -> double {
    if (std::isnan(x) || std::isnan(y))
      return notANumber;
    return x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
  };
  expectBinary(Operation::minimum, minimum);
  expectBinary(Operation::maximum, [&](float x, float y) -> double { return -minimum(-x, -y); });
}

TEST(ReferenceOperations, SelectTakesWholeValues) {
  const std::vector<double> got =
      apply(Operation::select, ElementType::f32,
            {{1, 0, 1, 0}, {notANumber, 2, -0.0, 4}, {5, notANumber, 7, -8}});
  expectSame(got[0], notANumber, "then");
  expectSame(got[1], notANumber, "else");
  expectSame(got[2], -0.0, "then");
  expectSame(got[3], -8, "else");
}

TEST(ReferenceOperations, CastRoundsToItsType) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) // longer than any block within
    values.push_back((i - 500) * 1.37);
  values.insert(values.end(), edges.begin(), edges.end());
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::i32, ElementType::f32}) {
    const std::vector<double> got = apply(Operation::cast, type, {values});
    for (size_t i = 0; i < values.size(); ++i)
      expectSame(got[i], roundTo(type, roundTo(ElementType::f32, values[i])),
                 std::string(spelling(type)));
  }
}

TEST(ReferenceElementwise, BroadcastsAsNumPyDoes) {
  const KernelText text("kernel k(a: f32[M, 1], b: f32[N], s: f32) -> c: f32[2, M, N] {\n"
                        "  c = a * 10 + b + s;\n}\n");
  const Tensor a = tensorOf(ElementType::f32, {2, 1}, {1, 2});
  const Tensor b = tensorOf(ElementType::f32, {3}, {0.5, 0.25, 0.125});
  const auto results =
      llvm::cantFail(text.evaluate({{"M", 2}, {"N", 3}}, {&a, &b, nullptr}, {0, 0, 100}));
  const std::vector<double> once = {110.5, 110.25, 110.125, 120.5, 120.25, 120.125};
  std::vector<double> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(valuesOf(results[0]), twice);
}

namespace {

/// x - y over `shape`, from views that broadcast to it.
Tensor difference(const TensorView &x, const TensorView &y, std::vector<int64_t> shape,
                  unsigned threads = 2) {
  const Value left{Operation::parameter, x.type, {}, {}, 0, 0, {}, "x"};
  const Value right{Operation::parameter, y.type, {}, {}, 0, 1, {}, "y"};
  const Value root{Operation::subtract, ElementType::f32, {}, {&left, &right}, 0, 0, {}, ""};
  Tensor result = llvm::cantFail(Tensor::allocate(ElementType::f32, std::move(shape)));
  result.poison();
  evaluateElementwise(root, {{&left, {x}}, {&right, {y}}}, result, threads);
  EXPECT_TRUE(result.canariesIntact());
  return result;
}

double elementOf(const TensorView &view, const std::vector<int64_t> &index) {
  const size_t added = index.size() - view.shape.size();
  int64_t offset = 0;
  for (size_t d = 0; d < view.shape.size(); ++d)
    offset += view.shape[d] == 1 ? 0 : index[added + d] * view.strides[d];
  return loadElement(view.data, offset, view.type);
}

void expectDifference(const TensorView &x, const TensorView &y, const std::vector<int64_t> &shape) {
  const Tensor result = difference(x, y, shape);
  for (int64_t i = 0; i < result.elements(); ++i) {
    std::vector<int64_t> index(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[d] = rest % shape[d];
    ASSERT_EQ(result[i], elementOf(x, index) - elementOf(y, index))
        << spelling(x.type, x.shape) << " - " << spelling(y.type, y.shape) << " at " << i;
  }
}

} // namespace

// Every case in which dimensions merge to longer rows, or must not.
TEST(ReferenceElementwise, EveryMixOfExtents) {
  const std::vector<int64_t> whole = {3, 2, 5};
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y) {
      std::vector<int64_t> left, right, shape;
      for (int d = 0; d < 3; ++d) {
        left.push_back(x >> d & 1 ? whole[d] : 1);
        right.push_back(y >> d & 1 ? whole[d] : 1);
        shape.push_back(std::max(left[d], right[d]));
      }
      const Tensor a = seeded(ElementType::f32, left, 1), b = seeded(ElementType::i8, right, 2);
      expectDifference(viewOf(a), viewOf(b), shape);
      // A result may be larger than all of its operands.
      expectDifference(viewOf(a), viewOf(b), {2, 3, 2, 5});
    }
}

TEST(ReferenceElementwise, ReadsTransposedViewsInPlace) {
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::i8}) {
    const Tensor a = seeded(type, {2, 7, 33}, 1), b = seeded(type, {33, 7}, 2),
                 c = seeded(type, {1, 7}, 3);
    expectDifference(transposed(viewOf(a)), viewOf(b), {2, 33, 7});
    expectDifference(transposed(viewOf(a)), transposed(transposed(viewOf(b))), {2, 33, 7});
    expectDifference(viewOf(a), transposed(viewOf(c)), {2, 7, 33});
  }
}

TEST(ReferenceElementwise, RowsOfEveryLength) {
  for (int64_t n : {1, 1023, 1024, 1025, 40000}) {
    const Tensor a = seeded(ElementType::f16, {3, n}, 1), b = seeded(ElementType::f16, {n}, 2);
    expectDifference(viewOf(a), viewOf(b), {3, n});
    const Tensor c = seeded(ElementType::f16, {n, 3}, 1), d = seeded(ElementType::f16, {n, 1}, 2);
    expectDifference(viewOf(c), viewOf(d), {n, 3});
  }
}

TEST(ReferenceElementwise, ScalarsAndNothing) {
  const Tensor a = seeded(ElementType::f32, {}, 1), b = seeded(ElementType::f32, {1, 1}, 2);
  expectDifference(viewOf(a), viewOf(b), {1, 1});
  expectDifference(viewOf(a), viewOf(a), {});
  const Tensor empty = seeded(ElementType::f32, {0, 5}, 1);
  EXPECT_EQ(difference(viewOf(empty), viewOf(b), {0, 5}).elements(), 0);
}

// A long chain must neither recurse nor keep a row for each of its values.
TEST(ReferenceElementwise, LongChains) {
  const Value one{Operation::constant, ElementType::f32, {}, {}, 1, 0, {}, ""};
  const Value x{Operation::parameter, ElementType::f32, {}, {}, 0, 0, {}, "x"};
  std::vector<Value> chain;
  chain.reserve(100000);
  for (int i = 0; i < 100000; ++i)
    chain.push_back(
        {Operation::add, ElementType::f32, {}, {i ? &chain[i - 1] : &x, &one}, 0, 0, {}, ""});
  const Tensor a = tensorOf(ElementType::f32, {2}, {0.5, -3});
  Tensor result = llvm::cantFail(Tensor::allocate(ElementType::f32, {2}));
  evaluateElementwise(chain.back(), {{&x, {viewOf(a)}}, {&one, {{}, true, 1}}}, result, 1);
  EXPECT_EQ(valuesOf(result), (std::vector<double>{100000.5, 99997}));
}

// The same operand twice, and one read again after other values have ended.
TEST(ReferenceElementwise, SharedValues) {
  const KernelText text("kernel k(a: f32[N]) -> c: f32[N] {\n"
                        "  let s = a * a;\n"
                        "  let t = s + s;\n"
                        "  let u = t * 2 - s;\n"
                        "  c = (u + t) * (s - u) + a;\n}\n");
  const Tensor a = tensorOf(ElementType::f32, {3}, {1, -2, 3});
  const auto results = llvm::cantFail(text.evaluate({{"N", 3}}, {&a}));
  // s, t, u = x^2, 2 x^2, 3 x^2: (5 x^2) * (-2 x^2) + x
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{-9, -162, -807}));
}
