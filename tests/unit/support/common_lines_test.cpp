#include "support/common_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace mmk {
namespace {

using Lines = std::vector<std::string>;
using Pairs = std::vector<std::pair<size_t, size_t>>;

TEST(CommonLines, OfTextsThatShareNothingOrAll) {
  EXPECT_EQ(commonLines({}, {}), Pairs());
  EXPECT_EQ(commonLines({"a"}, {}), Pairs());
  EXPECT_EQ(commonLines({"a", "b"}, {"c"}), Pairs());
  EXPECT_EQ(commonLines({"a", "b"}, {"a", "b"}), (Pairs{{0, 0}, {1, 1}}));
}

TEST(CommonLines, BeginningAndEnd) {
  EXPECT_EQ(commonLines({"a", "b", "c"}, {"a", "x", "y", "c"}), (Pairs{{0, 0}, {2, 3}}));
  // The beginning must not match the lines that the end needs, nor the reverse.
  EXPECT_EQ(commonLines({"a", "a"}, {"a", "a", "a"}), (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(commonLines({"a", "b"}, {"b"}), (Pairs{{1, 0}}));
}

size_t longest(const Lines &a, const Lines &b, size_t i, size_t j) {
  if (i == a.size() || j == b.size())
    return 0;
  if (a[i] == b[j])
    return 1 + longest(a, b, i + 1, j + 1);
  return std::max(longest(a, b, i + 1, j), longest(a, b, i, j + 1));
}

TEST(CommonLines, AreAsManyAsPossibleAndInOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Lines a(random() % 9), b(random() % 9);
    for (Lines *lines : {&a, &b})
      std::ranges::generate(*lines, [&] { return std::string(1, "abc"[random() % 3]); });
    const Pairs pairs = commonLines(a, b);
    EXPECT_EQ(pairs.size(), longest(a, b, 0, 0));
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
      if (i > 0) {
        EXPECT_TRUE(pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second);
      }
    }
  }
}

TEST(CommonLines, OfLongTextsTakeWhatTheirDifferencesTake) {
  Lines a(100000), b;
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = std::to_string(i % 1000);
  b = a;
  for (size_t i = 0; i < b.size(); i += 2000)
    b[i] = "other";
  EXPECT_EQ(commonLines(a, b).size(), a.size() - 50);
}

} // namespace
} // namespace mmk
