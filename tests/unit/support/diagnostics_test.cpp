// The form of messages, and the two helpers for their texts.
#include "support/diagnostics.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

SourceRange range(const SourceFile &file, std::string_view text) {
  const auto begin = static_cast<uint32_t>(file.text().find(text));
  return {&file, begin, begin + static_cast<uint32_t>(text.size())};
}

TEST(Diagnostics, PointsAtTheExactRange) {
  const SourceFile file("gemm.mmk", "kernel\n  let acc = a @ b;\n");
  Diagnostics diagnostics;
  diagnostics.error(range(file, "a @ b"), "cannot multiply")
      .notes.push_back({Severity::note, range(file, "acc"), "for this", {}});
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), "gemm.mmk:2:13: error: cannot multiply\n"
                                  "    2 |   let acc = a @ b;\n"
                                  "      |             ^~~~~\n"
                                  "gemm.mmk:2:7: note: for this\n"
                                  "    2 |   let acc = a @ b;\n"
                                  "      |       ^~~\n");
}

TEST(Diagnostics, MayPointNowhere) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "tile.M = 64 changes nothing");
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), "warning: tile.M = 64 changes nothing\n");
}

TEST(Diagnostics, ComeInTheOrderOfTheirPlaces) {
  const SourceFile file("a.mmk", "one two");
  Diagnostics diagnostics;
  diagnostics.error(range(file, "two"), "second");
  diagnostics.warning(range(file, "one"), "first");
  const std::string text = diagnostics.render();
  EXPECT_LT(text.find("first"), text.find("second"));
}

TEST(Diagnostics, CountsWhatIsBeyondTwenty) {
  Diagnostics diagnostics;
  for (int i = 0; i < 21; ++i)
    diagnostics.error({}, "wrong " + std::to_string(i));
  const std::string text = diagnostics.render();
  EXPECT_NE(text.find("wrong 19\n"), std::string::npos);
  EXPECT_EQ(text.find("wrong 20\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("and 1 more error\n"));
}

TEST(Diagnostics, UnderlinesTheFirstOfSeveralLines) {
  const SourceFile file("a.mmk", "x = a +\n  b;");
  Diagnostics diagnostics;
  diagnostics.error({&file, 4, 11}, "wrong");
  EXPECT_EQ(diagnostics.render(), "a.mmk:1:5: error: wrong\n"
                                  "    1 | x = a +\n"
                                  "      |     ^~~\n");
}

TEST(Diagnostics, KeepsTabsAndHidesWhatATerminalWouldObey) {
  const SourceFile file("a.mmk", "\tx\x1b[31m\xff here");
  Diagnostics diagnostics;
  diagnostics.error(range(file, "here"), "wrong");
  EXPECT_EQ(diagnostics.render(), "a.mmk:1:10: error: wrong\n"
                                  "    1 | \tx?[31m? here\n"
                                  "      | \t        ^~~~\n");
}

TEST(Diagnostics, CutsLongLinesAroundTheCaret) {
  const SourceFile file("a.mmk", std::string(500, 'a') + "X" + std::string(500, 'b'));
  Diagnostics diagnostics;
  diagnostics.error(range(file, "X"), "wrong");
  EXPECT_EQ(diagnostics.render(), "a.mmk:1:501: error: wrong\n"
                                  "    1 | ..." +
                                      std::string(40, 'a') + "X" + std::string(79, 'b') +
                                      "...\n"
                                      "      |    " +
                                      std::string(40, ' ') + "^\n");
}

TEST(Diagnostics, ColourIsTheCallersChoice) {
  Diagnostics diagnostics;
  diagnostics.error({}, "wrong");
  EXPECT_EQ(diagnostics.render().find('\033'), std::string::npos);
  EXPECT_NE(diagnostics.render(true).find('\033'), std::string::npos);
}

TEST(NearestWord, FindsSlips) {
  const std::vector<std::string> words = {"cores", "tile", "stage", "buffers", "epilogue"};
  EXPECT_EQ(nearestWord("tiel", words), "tile");
  EXPECT_EQ(nearestWord("bufers", words), "buffers");
  EXPECT_EQ(nearestWord("epliogue", words), "epilogue");
  EXPECT_EQ(nearestWord("Tile", words), "tile");
  EXPECT_EQ(nearestWord("l2", {"l1", "l0"}), "");
  EXPECT_EQ(nearestWord("hike", words), "");
  EXPECT_EQ(nearestWord("tile", {}), "");
}

TEST(ListOf, JoinsWithCommasAndAWord) {
  EXPECT_EQ(listOf({}), "");
  EXPECT_EQ(listOf({"a"}), "a");
  EXPECT_EQ(listOf({"a", "b"}), "a or b");
  EXPECT_EQ(listOf({"a", "b", "c"}, "and"), "a, b and c");
  const std::string cut = listOf(std::vector<std::string>(10000, "a"));
  EXPECT_TRUE(cut.ends_with("a, a or 9960 more")) << cut;
}

} // namespace
} // namespace mmk
