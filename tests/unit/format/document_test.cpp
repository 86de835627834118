// The layout of documents: where lines end.
#include "format/document.h"

#include <gtest/gtest.h>

namespace mmk::format {
namespace {

Document words(const std::vector<std::string> &all) {
  std::vector<Document> parts;
  for (const std::string &word : all) {
    if (!parts.empty())
      parts.push_back(breakOrSpace());
    parts.push_back(text(word));
  }
  return filled(std::move(parts));
}

TEST(Layout, AGroupIsFlatWhereItFits) {
  const Document document = group({text("a"), indented(2, {breakOrSpace(), text("bcd")})});
  EXPECT_EQ(flatWidth(document), 5);
  EXPECT_EQ(layOut(document, 5), "a bcd\n");
  EXPECT_EQ(layOut(document, 4), "a\n  bcd\n");
}

TEST(Layout, WhatFollowsAGroupOnItsLineIsPartOfItsWidth) {
  const Document document =
      sequence({group({text("a"), breakOrSpace(), text("b")}), text(";"), hardBreak(), text("c")});
  EXPECT_EQ(layOut(document, 4), "a b;\nc\n");
  EXPECT_EQ(layOut(document, 3), "a\nb;\nc\n");
}

TEST(Layout, FilledLinesHoldAsManyItemsAsFit) {
  const Document list =
      sequence({text("f("), bracketed({words({"one,", "two,", "three"})}), text(")")});
  EXPECT_EQ(layOut(list, 17), "f(one, two,\n  three)\n");
  EXPECT_EQ(layOut(list, 18), "f(one, two, three)\n");
}

TEST(Layout, BracketsFarToTheRightBeginTheirContentOnTheNextLine) {
  const std::string name(70, 'f');
  const Document list =
      sequence({text(name + "("), bracketed({words({"one,", "two"})}), text(")")});
  EXPECT_EQ(layOut(list, 75), name + "(\n    one, two)\n");
}

TEST(Layout, ACommentEndsItsLineAndTakesNoWidth) {
  const Document document = sequence(
      {group({text("a"), breakOrSpace(), text("b;")}), endingLine(" // long comment"), text("c")});
  EXPECT_EQ(layOut(document, 4), "a b; // long comment\nc\n");
  EXPECT_EQ(layOut(group({text("a"), endingLine(" // c"), breakOrSpace(), text("b")}), 80),
            "a // c\nb\n");
}

TEST(Layout, NoLineEndsWithASpaceAndNoTwoLinesAreEmpty) {
  EXPECT_EQ(layOut(sequence({text("a "), emptyLine(), emptyLine(), text("b")}), 80), "a\n\nb\n");
  EXPECT_EQ(layOut(sequence({emptyLine(), text("b")}), 80), "b\n");
}

TEST(Layout, WidthsAreInCharacters) {
  EXPECT_EQ(flatWidth(text("\xC3\xA4\xC3\xB6")), 2);
  EXPECT_EQ(layOut(group({text("\xC3\xA4"), breakOrSpace(), text("b")}), 3), "\xC3\xA4 b\n");
}

} // namespace
} // namespace mmk::format
