// The rule of the check: |x - ref| > atol + rtol * |ref| is wrong, NaN equals NaN, infinities
// agree.
#include "runtime/compare.h"
#include "runtime/data.h"
#include "tests/unit/special_values.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mmk;

namespace {

Tensor tensorOf(ElementType type, std::vector<int64_t> shape, const std::vector<double> &values) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(type, std::move(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

Comparison compareOne(double got, double expected, double rtol = 0, double atol = 0) {
  return compare(tensorOf(ElementType::f32, {1}, {got}),
                 tensorOf(ElementType::f32, {1}, {expected}), rtol, atol, 0, 1);
}

Tensor copyOf(const Tensor &tensor) {
  Tensor copy = llvm::cantFail(Tensor::allocate(tensor.type, tensor.shape));
  memcpy(copy.data(), tensor.data(), tensor.bytes());
  return copy;
}

} // namespace

TEST(Compare, TheRuleAtItsEdge) {
  EXPECT_TRUE(compareOne(1.5, 1.0, 0, 0.5).passed);
  EXPECT_FALSE(compareOne(1.5, 1.0, 0, 0.499).passed);
  EXPECT_TRUE(compareOne(-3.0, -2.0, 0.5, 0).passed);
  EXPECT_FALSE(compareOne(-3.0, -2.0, 0.499, 0).passed);
  EXPECT_TRUE(compareOne(2.75, 2.0, 0.25, 0.25).passed);
  EXPECT_FALSE(compareOne(0x1p-149, 0, 0.5, 0).passed); // relative to nothing
}

TEST(Compare, ValuesThatAreNoNumbers) {
  EXPECT_TRUE(compareOne(notANumber, notANumber).passed);
  EXPECT_TRUE(compareOne(infinity, infinity).passed);
  EXPECT_TRUE(compareOne(-infinity, -infinity).passed);
  EXPECT_TRUE(compareOne(0.0, -0.0).passed);
  for (const auto &[got, expected] : {std::pair(notANumber, 1.0),
                                      {1.0, notANumber},
                                      {infinity, -infinity},
                                      {infinity, 1.0},
                                      {1.0, infinity},
                                      {-infinity, 1.0},
                                      {notANumber, infinity},
                                      {infinity, notANumber}}) {
    const Comparison result = compareOne(got, expected, 0.5, 1e30);
    EXPECT_FALSE(result.passed) << got << " for " << expected;
    EXPECT_EQ(result.wrong, 1);
    EXPECT_EQ(result.maxAbs, 0);
    EXPECT_EQ(result.maxRel, 0);
  }
}

TEST(Compare, ErrorsAndTheFirstPlace) {
  const Tensor got = tensorOf(ElementType::f32, {2, 3}, {1, 2.5, 3, 4, 7, -6});
  const Tensor expected = tensorOf(ElementType::f32, {2, 3}, {1, 2, 3, 4, 5, 0});
  const Comparison result = compare(got, expected, 0, 1, 0.5, 2);
  EXPECT_EQ(result.elements, 6);
  EXPECT_EQ(result.wrong, 2);
  EXPECT_DOUBLE_EQ(result.errorRatio, 2.0 / 6);
  EXPECT_TRUE(result.passed); // 2 of 6 are below half
  EXPECT_EQ(result.maxAbs, 6);
  EXPECT_EQ(result.maxRel, 0.4); // 2 of 5; nothing is relative to 0
  EXPECT_EQ(result.firstWrong, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(result.firstGot, 7);
  EXPECT_EQ(result.firstExpected, 5);
}

TEST(Compare, NothingWrongLeavesNoPlace) {
  const Tensor tensor = tensorOf(ElementType::i32, {2}, {2147483647, -1});
  const Comparison result = compare(tensor, tensor, 0, 0, 0, 1);
  EXPECT_TRUE(result.passed);
  EXPECT_TRUE(result.firstWrong.empty());
}

TEST(Compare, AnEmptyTensorPasses) {
  const Tensor empty = tensorOf(ElementType::f16, {0, 4}, {});
  EXPECT_TRUE(compare(empty, empty, 0, 0, 0, 4).passed);
}

TEST(Compare, FindsOneElementAnywhere) {
  for (ElementType type :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::i32}) {
    Tensor expected = llvm::cantFail(Tensor::allocate(type, {3, 2049}));
    fillWithData(expected, DataKind::special, 1, 2);
    for (int64_t at : {0, 1, 2047, 2048, 4095, 4096, 6146}) {
      Tensor got = copyOf(expected);
      got.set(at, expected[at] == 100 ? -100 : 100);
      const Comparison result = compare(got, expected, 1e-3, 1e-3, 0, 3);
      EXPECT_EQ(result.wrong, 1);
      EXPECT_FALSE(result.passed);
      EXPECT_EQ(result.firstWrong, (std::vector<int64_t>{at / 2049, at % 2049}));
      EXPECT_TRUE(compare(got, expected, 1e-3, 1e-3, 1.0 / 6147, 1).passed);
    }
  }
}

TEST(Compare, PoisonIsFound) {
  Tensor expected = llvm::cantFail(Tensor::allocate(ElementType::f16, {64, 64}));
  fillWithData(expected, DataKind::integers, 1, 1);
  Tensor got = copyOf(expected);
  got.poison();
  EXPECT_EQ(compare(got, expected, 1e-3, 1e-3, 0, 1).wrong, 64 * 64);
}
