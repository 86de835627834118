// Statistics of fixed samples, with figures that can be derived by hand.
#include "support/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mmk {
namespace {

std::vector<double> upTo(int last) {
  std::vector<double> values;
  for (int i = last; i >= 1; --i)
    values.push_back(i);
  return values;
}

TEST(Summary, OfOneValue) {
  const Summary summary = summarise({3});
  EXPECT_EQ(summary.count, 1u);
  EXPECT_EQ(summary.min, 3);
  EXPECT_EQ(summary.mean, 3);
  EXPECT_EQ(summary.deviation, 0);
  EXPECT_EQ(summary.p50, 3);
  EXPECT_EQ(summary.p99, 3);
  EXPECT_EQ(summary.outliersBelow + summary.outliersAbove, 0u);
}

TEST(Summary, OfTheFirstNumbers) {
  const Summary summary = summarise(upTo(101));
  EXPECT_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.mean, 51);
  EXPECT_DOUBLE_EQ(summary.p50, 51);
  EXPECT_DOUBLE_EQ(summary.p90, 91);
  EXPECT_DOUBLE_EQ(summary.p99, 100);
  // n (n + 1) / 12, which for a sample of 101 is 858.5.
  EXPECT_DOUBLE_EQ(summary.deviation * summary.deviation, 101 * 102 / 12.0);
  EXPECT_DOUBLE_EQ(summary.relativeDeviation(), std::sqrt(858.5) / 51);
}

TEST(Summary, BetweenTwoValues) {
  const Summary summary = summarise({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(summary.p50, 2.5);
  EXPECT_DOUBLE_EQ(summary.p90, 3.7);
}

// The quartiles of 1 to 9 are 3 and 7: what lies below -3 or above 13 is an outlier.
TEST(Summary, OutliersStayVisible) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(summarise(values).outliersAbove, 0u);
  values.back() = 13;
  EXPECT_EQ(summarise(values).outliersAbove, 0u);
  values.back() = 13.1;
  EXPECT_EQ(summarise(values).outliersAbove, 1u);
  values.front() = -3.1;
  const Summary summary = summarise(values);
  EXPECT_EQ(summary.outliersBelow, 1u);
  EXPECT_EQ(summary.outliersAbove, 1u);
  EXPECT_EQ(summary.count, 9u);
  EXPECT_EQ(summary.min, -3.1);
}

// Of the 20 orders of three and three values, one has all of `a` in front.
TEST(RankTest, ExactOfSeparateSamples) {
  const RankTest test = rankTest({1, 2, 3}, {4, 5, 6});
  EXPECT_TRUE(test.isExact);
  EXPECT_EQ(test.u, 0);
  EXPECT_DOUBLE_EQ(test.p, 2 / 20.0);
  const RankTest other = rankTest({4, 5, 6}, {1, 2, 3});
  EXPECT_EQ(other.u, 9);
  EXPECT_DOUBLE_EQ(other.p, 2 / 20.0);
  EXPECT_DOUBLE_EQ(rankTest(upTo(5), {6, 7, 8, 9, 10}).p, 2 / 252.0);
}

// 7 of the 126 orders of four and five values have a U of at most 3: 1, 1, 2 and 3 for 0 to 3.
TEST(RankTest, ExactOfMixedSamples) {
  const RankTest test = rankTest({19, 22, 16, 29, 24}, {20, 11, 17, 12});
  EXPECT_TRUE(test.isExact);
  EXPECT_EQ(test.u, 17);
  EXPECT_DOUBLE_EQ(test.p, 2 * 7 / 126.0);
}

// All orders together have probability 1, and so has the middle.
TEST(RankTest, ExactOfTheMiddle) {
  EXPECT_EQ(rankTest({1, 4}, {2, 3}).u, 2);
  EXPECT_EQ(rankTest({1, 4}, {2, 3}).p, 1);
}

// Ranks 1.5, 1.5, 3.5 | 3.5, 5, 6: U = 0.5; the variance is 9/12 * (7 - 12/30), two pairs tied.
TEST(RankTest, Ties) {
  const RankTest test = rankTest({1, 1, 2}, {2, 3, 4});
  EXPECT_FALSE(test.isExact);
  EXPECT_DOUBLE_EQ(test.u, 0.5);
  const double z = (4.5 - 0.5 - 0.5) / std::sqrt(9 / 12.0 * (7 - 12 / 30.0));
  EXPECT_NEAR(test.p, std::erfc(z / std::sqrt(2)), 1e-12);
}

TEST(RankTest, NothingButTies) {
  const RankTest test = rankTest({2, 2, 2}, {2, 2});
  EXPECT_EQ(test.u, 3);
  EXPECT_EQ(test.p, 1);
}

// Above fifty values the two methods agree: the same samples, with one value more for the normal
// one.
TEST(RankTest, ExactAndNormalAgree) {
  std::vector<double> a, b;
  for (int i = 0; i < 50; ++i) {
    a.push_back(2 * i);
    b.push_back(2 * i + 13);
  }
  const RankTest exact = rankTest(a, b);
  EXPECT_TRUE(exact.isExact);
  a.push_back(49.5);
  const RankTest normal = rankTest(a, b);
  EXPECT_FALSE(normal.isExact);
  EXPECT_NEAR(exact.p, normal.p, 0.01);
  EXPECT_GT(exact.p, 0.01);
  EXPECT_LT(exact.p, 0.1);
}

} // namespace
} // namespace mmk
