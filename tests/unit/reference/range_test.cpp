// How ranges of right results pass through operations, and the ranges of sums.
#include "reference/check.h"
#include "reference/range.h"
#include "reference/sum_range.h"
#include "tests/unit/reference_testing.h"
#include "tests/unit/special_values.h"

#include <cmath>

namespace mmk {
namespace {

constexpr double u = 0x1p-24; ///< of f32

Range of(Operation operation, std::vector<Range> operands, ElementType type = ElementType::f32) {
  Value leaf{Operation::parameter, ElementType::f32, {}, {}, 0, 0, {}, ""};
  Value value{operation, type, {}, std::vector<const Value *>(operands.size(), &leaf),
              0,         0,    {}, ""};
  return rangeOf(value, operands.data());
}

Range around(double value, double error) { return {value, value - error, value + error, false}; }

void expectRange(const Range &range, double value, double low, double high, bool mayBeNaN = false) {
  expectSame(range.value, value, "value");
  EXPECT_EQ(range.low, low);
  EXPECT_EQ(range.high, high);
  EXPECT_EQ(range.mayBeNaN, mayBeNaN);
}

TEST(Range, ExactOperandsHaveTheResultOfTheLanguage) {
  expectRange(of(Operation::add, {Range::exactly(1), Range::exactly(u)}), 1, 1, 1);
  expectRange(of(Operation::multiply, {Range::exactly(3), Range::exactly(-2)}), -6, -6, -6);
  EXPECT_TRUE(of(Operation::add, {Range::exactly(infinity), Range::exactly(-infinity)}).isExact());
  EXPECT_FALSE(
      of(Operation::add, {Range::exactly(infinity), Range::exactly(-infinity)}).includes(0));
}

TEST(Range, ArithmeticHasTheEndsOfItsOperands) {
  expectRange(of(Operation::add, {around(2, 0.5), around(1, 0.25)}), 3, 2.25, 3.75);
  expectRange(of(Operation::subtract, {around(2, 0.5), around(1, 0.25)}), 1, 0.25, 1.75);
  expectRange(of(Operation::multiply, {around(1, 2), around(-1, 1)}), -1, -6 - 0x1p-149,
              2 + 0x1p-149);
  expectRange(of(Operation::negate, {Range{1, 0.5, 3, false}}), -1, -3, -0.5);
  expectRange(of(Operation::abs, {around(1, 2)}), 1, 0, 3);
  expectRange(of(Operation::maximum, {around(-1, 2), Range::exactly(0)}), 0, 0, 1);
  expectRange(of(Operation::floor, {around(2, 0.125)}), 2, 1, 2);
}

TEST(Range, IntegersWrapToAnyOf32Bits) {
  constexpr double low = -0x1p31, high = 0x1p31 - 1;
  const auto ofIntegers = [](Operation operation, std::vector<Range> operands) {
    return of(operation, std::move(operands), ElementType::i32);
  };
  expectRange(ofIntegers(Operation::add, {Range::exactly(high), Range::exactly(1)}), low, low, low);
  expectRange(ofIntegers(Operation::multiply, {Range::exactly(high), Range::exactly(high)}), 1, 1,
              1);
  expectRange(ofIntegers(Operation::negate, {Range::exactly(low)}), low, low, low);
  expectRange(ofIntegers(Operation::remainder, {Range::exactly(-7), Range::exactly(3)}), 2, 2, 2);
  expectRange(ofIntegers(Operation::remainder, {Range::exactly(7), Range::exactly(0)}), 0, 0, 0);
  expectRange(ofIntegers(Operation::remainder, {Range::exactly(low), Range::exactly(-1)}), 0, 0, 0);
  expectRange(ofIntegers(Operation::subtract, {around(2, 1), around(5, 2)}), -3, -6, 0);
  expectRange(ofIntegers(Operation::multiply, {around(2, 1), around(-5, 1)}), -10, -18, -4);
  expectRange(ofIntegers(Operation::remainder, {around(10, 2), Range::exactly(-4)}), -2, -4, 0);
  expectRange(ofIntegers(Operation::add, {around(high - 1, 1), Range::exactly(1)}), high, low,
              high);
}

TEST(Range, FunctionsAddTheirError) {
  const Range exp = of(Operation::exp, {around(1, 0x1p-10)});
  EXPECT_LT(exp.low, std::exp(1 - 0x1p-10));
  EXPECT_GT(exp.high, std::exp(1 + 0x1p-10));
  EXPECT_LT(exp.high - exp.low, 1.01 * 2 * 0x1p-10 * std::exp(1));
  const Range exact = of(Operation::tanh, {Range::exactly(0.5)});
  EXPECT_NEAR(exact.error(), 3 * 0x1p-23 * std::tanh(0.5), 1e-9);
  EXPECT_NEAR(of(Operation::divide, {Range::exactly(1), Range::exactly(3)}).error(), 2 * u / 3,
              1e-14);
}

TEST(Range, AQuotientByWhatMayBeZeroIsAnything) {
  const Range range = of(Operation::divide, {Range::exactly(1), around(1e-3, 1e-2)});
  EXPECT_TRUE(range.includes(infinity) && range.includes(-infinity) && range.includes(notANumber));
  EXPECT_EQ(of(Operation::divide, {Range::exactly(1), Range::exactly(0)}).low, infinity);
}

TEST(Range, AnInfinityTimesWhatMayBeZeroIsAnything) {
  const Range overflowing{-3e38, -infinity, -3e38, false};
  EXPECT_TRUE(of(Operation::multiply, {overflowing, around(0, 1e-7)}).includes(notANumber));
  EXPECT_TRUE(of(Operation::multiply, {around(0, 1e-7), overflowing}).includes(notANumber));
  EXPECT_FALSE(of(Operation::multiply, {overflowing, around(1, 0.5)}).includes(notANumber));
}

TEST(Range, AValueAtAThresholdTakesEitherSide) {
  const Range far = of(Operation::less, {around(1, 0.5), Range::exactly(2)});
  expectRange(far, 1, 1, 1);
  const Range near = of(Operation::less, {around(1, 0.5), Range::exactly(1.25)});
  expectRange(near, 1, 0, 1);
  expectRange(of(Operation::select, {far, Range::exactly(7), Range::exactly(-7)}), 7, 7, 7);
  expectRange(of(Operation::select, {near, Range::exactly(7), Range::exactly(-7)}), 7, -7, 7);
  // The edges: 1 <= 1 holds, 1 < 1 does not.
  expectRange(of(Operation::lessEqual, {Range::exactly(1), Range::exactly(1)}), 1, 1, 1);
  expectRange(of(Operation::greaterEqual, {around(1, 1), Range::exactly(2)}), 0, 0, 1);
  expectRange(of(Operation::greater, {around(1, 1), Range::exactly(2)}), 0, 0, 0);
  expectRange(of(Operation::equal, {around(1, 1), Range::exactly(2)}), 0, 0, 1);
  expectRange(of(Operation::notEqual, {Range::exactly(2), Range::exactly(2)}), 0, 0, 0);
}

TEST(Range, NaNPassesOn) {
  const Range certain = Range::exactly(notANumber);
  EXPECT_TRUE(of(Operation::maximum, {certain, Range::exactly(0)}).isExact());
  EXPECT_FALSE(of(Operation::maximum, {certain, Range::exactly(0)}).includes(0));
  const Range possible{1, 0, 2, true};
  const Range sum = of(Operation::add, {possible, Range::exactly(1)});
  expectRange(sum, 2, 1, 3, true);
  // A comparison with NaN is false, but for !=.
  expectRange(of(Operation::less, {possible, Range::exactly(5)}), 1, 0, 1);
  expectRange(of(Operation::less, {certain, Range::exactly(5)}), 0, 0, 0);
  expectRange(of(Operation::notEqual, {certain, Range::exactly(5)}), 1, 1, 1);
  // NaN is 0 in an integer.
  expectRange(rounded({4, 3, 5, true}, ElementType::i8), 4, 0, 5);
  expectRange(rounded(certain, ElementType::i32), 0, 0, 0);
}

TEST(Range, ARoundingWidensToItsTies) {
  expectRange(rounded(around(1, 0x1p-14), ElementType::f16), 1, 1, 1);
  // 1 + 2^-11 is a tie of f16.
  expectRange(rounded(around(1 + 0x1p-11, 0x1p-14), ElementType::f16), 1, 1, 1 + 0x1p-10);
  expectRange(rounded(around(65519, 2), ElementType::f16), 65504, 65504, infinity);
  expectRange(rounded(around(2.5, 0.1), ElementType::i8), 2, 2, 3);
}

Line lineOf(std::vector<double> values) { return {std::move(values), {}}; }

TEST(SumRange, SmallIntegersAreExact) {
  const Line left = lineOf({1, 2, 3}), right = lineOf({4, -5, 6});
  EXPECT_TRUE(rangeOfSum(left, right, 3, 12, Care::full).isExact());
  EXPECT_EQ(quantumOf({0.75, -3, 0}), 0.25);
  EXPECT_EQ(quantumOf({0}), 1);
  EXPECT_EQ(quantumOf({1, infinity}), 0);
  // 2^24 + 1 - 1 depends on the order.
  EXPECT_FALSE(
      rangeOfSum(lineOf({0x1p24, 1, -1}), lineOf({1, 1, 1}), 3, 0x1p24, Care::full).isExact());
}

TEST(SumRange, AnExactSumRoundsWhenItStartsFromANumberOfMoreBits) {
  const Line left{{0.7734375, 0.828125, -0.9375, 0.00723267}, {}};
  const Line right{{0.8984375, 0.4921875, -0.83203125, 0.33203125}, {}};
  EXPECT_EQ(errorOfExactFrom(0.5, Line{{1, 2, 3}, {}}, Line{{4, 5, 6}, {}}, Care::full), 0);
  // The partial sums round, not the row: the error is of the size of their sum.
  const double row = 0x1.aebf9p-3, error = errorOfExactFrom(row, left, right, Care::full);
  EXPECT_GT(error, 2 * u * 1.88);
  float sum = static_cast<float>(row);
  for (size_t k = 0; k < left.values.size(); ++k)
    sum = static_cast<float>(sum + left.values[k] * right.values[k]);
  EXPECT_LE(std::fabs(sum - (1.8849087953567505 + row)), error);
}

TEST(SumRange, FollowsThePartialSumsAndNotTheResult) {
  const int64_t depth = 400;
  std::vector<double> values(depth);
  for (int64_t k = 0; k < depth; ++k)
    values[k] = (k % 2 ? -1 : 1) * 0.1f;
  const Line ones = lineOf(std::vector<double>(depth, 1)), terms = lineOf(values);
  // Partial sums up to 0.1, but in another order up to the root of the sum of squares, 2.
  const double expected = 6 / std::sqrt(3.0) * u * std::sqrt(depth) * 2;
  EXPECT_NEAR(rangeOfSum(terms, ones, depth, 0, Care::full).error(), expected, expected / 100);
  EXPECT_LT(rangeOfSum(terms, ones, depth, 0, Care::likely).error(), expected / 2);
}

TEST(SumRange, AConstantIsRoundedInOneDirection) {
  const int64_t depth = 100000;
  const double term = 0.1f;
  const Line terms = lineOf(std::vector<double>(depth, term)),
             ones = lineOf(std::vector<double>(depth, 1));
  float sum = 0;
  for (int64_t k = 0; k < depth; ++k)
    sum += 0.1f;
  const double value = static_cast<float>(term * depth);
  EXPECT_FALSE(rangeOfSum(terms, ones, depth, value, Care::full).includes(sum));
  EXPECT_FALSE(rangeOfSum(terms, ones, depth, value, Care::likely).includes(sum));
  EXPECT_TRUE(rangeOfSum(terms, ones, depth, value, Care::biased).includes(sum));
  EXPECT_TRUE(rangeOfSum(terms, ones, depth, value, Care::likelyBiased).includes(sum));
  EXPECT_LE(rangeOfSum(terms, ones, depth, value, Care::biased).error(), u * depth * value + 1e-3);
}

TEST(SumRange, EqualValuesAreRoundedAlike) {
  const int64_t depth = 400;
  const double error = 0x1p-12;
  const Line ones = lineOf(std::vector<double>(depth, 1));
  Line equal = ones, distinct = ones;
  for (int64_t k = 0; k < depth; ++k)
    distinct.values[k] += static_cast<double>(k) / depth;
  equal.errors = distinct.errors = std::vector<double>(depth, error);
  const double together = depth * error, apart = 3 * std::sqrt(depth) * error, sum = 599.5;
  const auto errorOf = [&](const Line &left, const Line &right, double value, Care care) {
    Line exact = left;
    exact.errors = std::vector<double>(left.errors.size());
    return rangeOfSum(left, right, depth, value, care).error() -
           rangeOfSum(exact, right, depth, value, care).error();
  };
  EXPECT_NEAR(errorOf(equal, ones, depth, Care::biased), together, together / 100);
  EXPECT_NEAR(errorOf(equal, ones, depth, Care::likelyBiased), together, together / 100);
  EXPECT_NEAR(errorOf(equal, ones, depth, Care::full), apart, apart / 100);
  EXPECT_NEAR(errorOf(distinct, ones, sum, Care::biased), apart, apart / 100);
}

TEST(SumRange, RandomTermsAreNotBiased) {
  const int64_t depth = 3000;
  const Tensor a = seeded(ElementType::f16, {depth}, 1, DataKind::normal);
  const Tensor b = seeded(ElementType::f16, {depth}, 2, DataKind::normal);
  const Line left = lineOf(valuesOf(a)), right = lineOf(valuesOf(b));
  EXPECT_EQ(rangeOfSum(left, right, depth, 1, Care::biased).error(),
            rangeOfSum(left, right, depth, 1, Care::full).error());
}

TEST(SumRange, AnOverflowOnTheWayIsRight) {
  const double most = 3.4e38;
  const Line ones = lineOf({1, 1, 1, 1});
  const Range rises = rangeOfSum(lineOf({most, most, -1, 0}), ones, 4, infinity, Care::full);
  EXPECT_TRUE(rises.includes(infinity) && !rises.includes(notANumber) &&
              !rises.includes(-infinity));
  const Range both = rangeOfSum(lineOf({most, most, -most, -most}), ones, 4, 0, Care::full);
  EXPECT_TRUE(both.includes(infinity) && both.includes(-infinity) && both.includes(notANumber));
  EXPECT_TRUE(both.includes(0));
  const Range infinite = rangeOfSum(lineOf({infinity, 1, 1, 1}), ones, 4, infinity, Care::full);
  EXPECT_TRUE(infinite.includes(infinity) && !infinite.includes(notANumber) &&
              !infinite.includes(5));
  const Range undefined =
      rangeOfSum(lineOf({infinity, -infinity, 1, 1}), ones, 4, notANumber, Care::full);
  EXPECT_TRUE(undefined.includes(notANumber) && !undefined.includes(0));
}

TEST(SumRange, ErrorsOfOperandsAreCarriedOn) {
  const Line left{{1, 1}, {0.5, 0}}, right{{2, 3}, {}};
  EXPECT_NEAR(rangeOfSum(left, right, 2, 5, Care::full).error(), 1, 1e-5);
  const Line unknown{{1, 1}, {infinity, 0}};
  EXPECT_TRUE(rangeOfSum(unknown, right, 2, 5, Care::full).includes(1e30));
  EXPECT_TRUE(rangeOfIntegerSum({{1, 1}, {}}, right, 2, 5).isExact());
  EXPECT_EQ(rangeOfIntegerSum({{1, 1}, {1, 0}}, right, 2, 5).error(), 2);
}

/// A kernel with its operands, of which one result is checked.
struct Checked {
  KernelText text;
  std::map<std::string, int64_t> dims;
  std::vector<Tensor> inputs;
  std::vector<double> scalars;
  std::vector<const Tensor *> tensors;
  std::optional<ResultCheck> check;

  Checked(const std::string &kernel, std::map<std::string, int64_t> extents,
          std::vector<Tensor> given)
      : text(kernel), dims(std::move(extents)), inputs(std::move(given)),
        scalars(text.kernel().parameters.size()) {
    for (const Tensor &input : inputs)
      tensors.push_back(&input);
    check.emplace(llvm::cantFail(ResultCheck::create({text.kernel(), dims, scalars, tensors}, 2)));
  }

  Comparison compare(int64_t index, double got) {
    const Tensor &expected = check->expected(0);
    Tensor result = tensorOf(expected.type, expected.shape, valuesOf(expected));
    result.set(index, got);
    return check->check(0, result, text.kernel().check);
  }
};

std::vector<Tensor> operands(ElementType type, int64_t m, int64_t n, int64_t k) {
  std::vector<Tensor> made;
  made.push_back(seeded(type, {m, k}, 1, DataKind::uniform));
  made.push_back(seeded(type, {k, n}, 2, DataKind::uniform));
  return made;
}

const std::string strict = " check { rtol = 0; atol = 0; } }";

TEST(ResultCheck, ReportsTheBoundOfTheFirstWrongElement) {
  Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b;" + strict,
                  {{"M", 5}, {"N", 7}, {"K", 300}}, operands(ElementType::f16, 5, 7, 300));
  const double expected = checked.check->expected(0)[17];
  const Comparison wrong = checked.compare(17, expected + 1e-3);
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_FALSE(wrong.passed);
  EXPECT_EQ(wrong.firstWrong, (std::vector<int64_t>{2, 3}));
  EXPECT_GT(wrong.firstRounding, 1e-6);
  EXPECT_LT(wrong.firstRounding, 5e-5);
  EXPECT_TRUE(checked.compare(17, expected + wrong.firstRounding / 2).passed);
  EXPECT_FALSE(checked.compare(17, expected + wrong.firstRounding * 2).passed);
}

TEST(ResultCheck, ASecondProductCarriesTheErrorOfTheFirst) {
  std::vector<Tensor> inputs = operands(ElementType::f16, 5, 6, 300);
  inputs.push_back(seeded(ElementType::f16, {6, 4}, 3, DataKind::uniform));
  Checked chain("kernel k(a: f16[M, K], b: f16[K, N], w: f16[N, P]) -> c: f32[M, P] {"
                " let h = cast<f16>(relu(a @ b)); c = h @ w;" +
                    strict,
                {{"M", 5}, {"N", 6}, {"K", 300}, {"P", 4}}, std::move(inputs));
  const double expected = chain.check->expected(0)[9];
  const Comparison wrong = chain.compare(9, expected + 0.05);
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_LT(wrong.firstRounding, 0.02); // a unit in the last place of few elements of h
}

TEST(ResultCheck, IntegersHaveNoRounding) {
  std::vector<Tensor> inputs;
  inputs.push_back(seeded(ElementType::i8, {3, 500}, 1, DataKind::uniform));
  inputs.push_back(seeded(ElementType::i8, {500, 3}, 2, DataKind::uniform));
  Checked exact("kernel k(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N] { c = a @ b;" + strict,
                {{"M", 3}, {"N", 3}, {"K", 500}}, std::move(inputs));
  const Comparison wrong = exact.compare(4, exact.check->expected(0)[4] + 1);
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_EQ(wrong.firstRounding, 0);
}

TEST(ResultCheck, WithoutRoundingItIsTheToleranceAlone) {
  Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b;"
                  " check { rtol = 0; atol = 0; rounding = 0; } }",
                  {{"M", 5}, {"N", 7}, {"K", 300}}, operands(ElementType::f16, 5, 7, 300));
  EXPECT_EQ(checked.compare(17, checked.check->expected(0)[17] + 1e-6).wrong, 1);
}

TEST(ResultCheck, AWholeResultWithinTheToleranceIsWrong) {
  Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b;"
                  " check { rtol = 0; atol = 1; } }",
                  {{"M", 5}, {"N", 7}, {"K", 300}}, operands(ElementType::f16, 5, 7, 300));
  const Tensor &expected = checked.check->expected(0);
  Tensor shifted = tensorOf(ElementType::f32, {5, 7}, valuesOf(expected));
  for (int64_t i : {3, 30}) {
    shifted.set(i, expected[i] + 0.1);
    EXPECT_TRUE(checked.check->check(0, shifted, checked.text.kernel().check).passed);
  }
  shifted.set(12, expected[12] + 0.1);
  const Comparison result = checked.check->check(0, shifted, checked.text.kernel().check);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.wrong, 0);
  EXPECT_EQ(result.firstUnexplained, (std::vector<int64_t>{0, 3}));
}

TEST(ResultCheck, ManyWrongElementsAreCounted) {
  Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b;" + strict,
                  {{"M", 70}, {"N", 80}, {"K", 40}}, operands(ElementType::f16, 70, 80, 40));
  Tensor poison = llvm::cantFail(Tensor::allocate(ElementType::f32, {70, 80}));
  poison.poison();
  const Comparison all = checked.check->check(0, poison, checked.text.kernel().check);
  EXPECT_EQ(all.wrong, 70 * 80);
  EXPECT_EQ(all.firstWrong, (std::vector<int64_t>{0, 0}));
}

} // namespace
} // namespace mmk
