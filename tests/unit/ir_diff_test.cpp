#include "ir/ir_diff.h"

#include "llvm/ADT/ArrayRef.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace mmk {
namespace {

std::string joined(const IrDiff &diff) {
  std::string text;
  for (const std::string &line : diff.lines)
    text += line + "\n";
  return text;
}

TEST(IrDiff, OfTheSameTextIsEmpty) {
  const IrDiff diff = diffIr("%0 = f\nuse %0\n", "%0 = f\nuse %0\n");
  EXPECT_EQ(diff.removed + diff.added, 0u);
  EXPECT_TRUE(diff.lines.empty());
}

TEST(IrDiff, NumbersOfValuesAndIndentationAreNoDifference) {
  EXPECT_EQ(joined(diffIr("%0 = f\nfor %arg0 = %0 {\n  use %arg0, %0\n}\n",
                          "%7 = f\n  for %arg3 = %7 {\n    use %arg3, %7\n  }\n")),
            "");
}

TEST(IrDiff, AnAddedLineStandsAlone) {
  // Every number after the added line changes.
  EXPECT_EQ(joined(diffIr("%0 = f\n%1 = g %0\nuse %1\n", "%0 = new\n%1 = f\n%2 = g %1\nuse %2\n")),
            "@@ -1,3 +1,4 @@\n"
            "+%0 = new\n"
            " %1 = f\n"
            " %2 = g %1\n"
            " use %2\n");
}

TEST(IrDiff, AnotherOperandIsADifference) {
  const IrDiff diff = diffIr("%0 = f\n%1 = f\nuse %0\n", "%0 = f\n%1 = f\nuse %1\n");
  EXPECT_EQ(joined(diff), "@@ -1,3 +1,3 @@\n"
                          " %0 = f\n"
                          " %1 = f\n"
                          "-use %0\n"
                          "+use %1\n");
  EXPECT_EQ(diff.removed, 1u);
  EXPECT_EQ(diff.added, 1u);
}

TEST(IrDiff, ADifferenceIsNotPassedOnToTheUsers) {
  EXPECT_EQ(joined(diffIr("%c1 = c 1\n%c2 = c 2\n%0 = add %c1\nuse %0\n",
                          "%c1 = c 1\n%c2 = c 2\n%0 = add %c2\nuse %0\n", 0)),
            "@@ -3,1 +3,1 @@\n"
            "-%0 = add %c1\n"
            "+%0 = add %c2\n");
}

TEST(IrDiff, AChangedOperationDefinesTheSameValues) {
  EXPECT_EQ(joined(diffIr("%x = alloc 1\n%y = alloc 1\n%c = c 4\nuse %x, %y\n",
                          "%p = alloc 2\n%q = alloc 2\nuse %p, %q\n", 0)),
            "@@ -1,3 +1,2 @@\n"
            "-%x = alloc 1\n"
            "-%y = alloc 1\n"
            "-%c = c 4\n"
            "+%p = alloc 2\n"
            "+%q = alloc 2\n");
  // One value for two: the pairing is unknown, so its users are shown.
  EXPECT_EQ(joined(diffIr("%x = alloc 1\n%y = alloc 1\nuse %x\n", "%x = alloc 2\nuse %x\n", 0)),
            "@@ -1,3 +1,2 @@\n"
            "-%x = alloc 1\n"
            "-%y = alloc 1\n"
            "-use %x\n"
            "+%x = alloc 2\n"
            "+use %x\n");
}

TEST(IrDiff, NumbersThatSiblingRegionsUseAgain) {
  EXPECT_EQ(joined(diffIr("if {\n%0 = f\nuse %0\n} else {\n%0 = g\nuse %0\n}\n",
                          "if {\n%0 = f\nuse %0\n} else {\n%1 = g\nuse %1\n}\n")),
            "");
}

TEST(IrDiff, ArgumentsOfBlocksAndSeveralResultsDefine) {
  EXPECT_EQ(joined(diffIr("^bb0(%a: index, %b: f32):\n%0:2 = f %a\nuse %0#1, %b\n",
                          "^bb0(%x: index, %y: f32):\n%5:2 = f %x\nuse %5#1, %y\n")),
            "");
  EXPECT_NE(joined(diffIr("^bb0(%a: index, %b: index):\nuse %a\n",
                          "^bb0(%a: index, %b: index):\nuse %b\n")),
            "");
}

TEST(IrDiff, RemovedLinesStandBeforeAddedOnes) {
  EXPECT_EQ(joined(diffIr("a\nb\nc\nd\n", "a\nx\ny\nd\n")), "@@ -1,4 +1,4 @@\n"
                                                            " a\n"
                                                            "-b\n"
                                                            "-c\n"
                                                            "+x\n"
                                                            "+y\n"
                                                            " d\n");
}

TEST(IrDiff, HunksAreSplitWhereMoreThanTheirContextsIsTheSame) {
  // Four lines between two changes are the contexts of both; five are two hunks.
  EXPECT_EQ(joined(diffIr("x\n1\n2\n3\n4\ny\n", "X\n1\n2\n3\n4\nY\n", 2)),
            "@@ -1,6 +1,6 @@\n-x\n+X\n 1\n 2\n 3\n 4\n-y\n+Y\n");
  EXPECT_EQ(joined(diffIr("x\n1\n2\n3\n4\n5\ny\n", "X\n1\n2\n3\n4\n5\nY\n", 2)),
            "@@ -1,3 +1,3 @@\n-x\n+X\n 1\n 2\n"
            "@@ -5,3 +5,3 @@\n 4\n 5\n-y\n+Y\n");
  EXPECT_EQ(joined(diffIr("1\n2\n3\n4\n", "1\n2\n3\n4\nnew\n", 2)),
            "@@ -3,2 +3,3 @@\n 3\n 4\n+new\n");
  EXPECT_EQ(joined(diffIr("1\n2\n3\n", "1\n2\n3\nnew\n", 0)), "@@ -3,0 +4,1 @@\n+new\n");
}

/// Lines that define and use values by chance, each value before its use.
std::string randomText(std::mt19937 &random) {
  std::string text;
  for (size_t line = 0, values = 0; line < 12; ++line) {
    const std::string operation(1, "fgh"[random() % 3]);
    const bool defines = values == 0 || random() % 2 == 0;
    const std::string use = values > 0 ? " %" + std::to_string(random() % values) : "";
    text += (defines ? "%" + std::to_string(values) + " = " : "") + operation + use + "\n";
    values += defines;
  }
  return text;
}

TEST(IrDiff, WithAllOfItsContextHasEachLineOfBothOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::string a = randomText(random), b = randomText(random);
    const IrDiff diff = diffIr(a, b, 1000);
    ASSERT_FALSE(diff.lines.empty());
    EXPECT_EQ(diff.lines.front(), "@@ -1,12 +1,12 @@");
    std::string removed, second;
    size_t linesOfA = 0;
    for (const std::string &line : llvm::ArrayRef(diff.lines).drop_front()) {
      (line[0] == '-' ? removed : second) += line.substr(1) + "\n";
      linesOfA += line[0] != '+';
    }
    EXPECT_EQ(second, b);
    EXPECT_EQ(linesOfA, 12u);
    EXPECT_EQ(size_t(std::ranges::count(removed, '\n')), diff.removed);
    EXPECT_TRUE(diffIr(a, a).lines.empty());
  }
}

} // namespace
} // namespace mmk
