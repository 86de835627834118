// Lines, columns and offsets of a text.
#include "support/source.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

TEST(SourceFile, CountsLinesAndColumnsFromOne) {
  const SourceFile file("a.mmk", "ab\ncd\n");
  EXPECT_EQ(file.position(0).line, 1u);
  EXPECT_EQ(file.position(0).column, 1u);
  EXPECT_EQ(file.position(4).line, 2u);
  EXPECT_EQ(file.position(4).column, 2u);
  // The end of the text, and everything beyond it, is the start of the line after the last.
  EXPECT_EQ(file.position(6).line, 3u);
  EXPECT_EQ(file.position(600).line, 3u);
}

TEST(SourceFile, EveryEndOfLineEndsALine) {
  const SourceFile file("a.mmk", "unix\nwindows\r\nmac\rlast");
  EXPECT_EQ(file.line(1), "unix");
  EXPECT_EQ(file.line(2), "windows");
  EXPECT_EQ(file.line(3), "mac");
  EXPECT_EQ(file.line(4), "last");
  EXPECT_EQ(file.line(5), "");
  EXPECT_EQ(file.line(0), "");
}

TEST(SourceFile, ColumnsCountCharacters) {
  const std::string text = "größe 北京 x";
  const SourceFile file("a.mmk", text);
  EXPECT_EQ(file.position(static_cast<uint32_t>(text.find('x'))).column, 10u);
}

TEST(SourceFile, OffsetIsTheInverseOfPosition) {
  const std::string text = "a\n größe\r\n\tend";
  const SourceFile file("a.mmk", text);
  for (uint32_t offset = 0; offset < text.size(); ++offset) {
    const bool inCharacter = (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80;
    const bool inEndOfLine = text[offset] == '\n' && offset > 0 && text[offset - 1] == '\r';
    if (!inCharacter && !inEndOfLine) {
      EXPECT_EQ(file.offset(file.position(offset)), offset);
    }
  }
}

TEST(SourceFile, OffsetIsClampedToTheLine) {
  const SourceFile file("a.mmk", "ab\ncd\n");
  EXPECT_EQ(file.offset({1, 50}), 2u);
  EXPECT_EQ(file.offset({2, 50}), 5u);
  EXPECT_EQ(file.offset({9, 1}), 6u);
}

TEST(SourceFile, MayBeEmpty) {
  const SourceFile file("a.mmk", "");
  EXPECT_EQ(file.position(0).line, 1u);
  EXPECT_EQ(file.line(1), "");
  EXPECT_EQ(file.offset({1, 1}), 0u);
}

} // namespace
} // namespace mmk
