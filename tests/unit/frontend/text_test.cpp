// Extreme inputs: each ends quickly, with a message about the input.
#include "tests/unit/checked.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

std::string repeat(std::string_view text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i)
    result += text;
  return result;
}

std::string kernel(const std::string &expression) {
  return "kernel k(a: f32[N]) -> c: f32[N] { c = " + expression + "; }";
}

TEST(Text, Empty) {
  EXPECT_EQ(Checked("").messages(), "test.mmk:1:1: error: the file is empty; expected a kernel\n");
  EXPECT_EQ(Checked(" \n\t\r\n").message(), "the file is empty; expected a kernel");
  EXPECT_EQ(Checked("\xEF\xBB\xBF").message(), "the file is empty; expected a kernel");
}

TEST(Text, CommentsAlone) {
  EXPECT_EQ(Checked("// nothing\n").message(),
            "the file has no kernel; expected kernel NAME(...) -> ...");
}

TEST(Text, Binary) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>(i);
  EXPECT_EQ(Checked(bytes).message(), "this is not a text file: it holds a zero byte");
}

TEST(Text, NotUtf8) {
  for (const char *bytes : {"kernel \xff", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                            "a\xE2\x82", "\xE0\x80\xAF", "\xF0\x80\x80\x80", "\x80"})
    EXPECT_TRUE(Checked(bytes).message().starts_with("this is not a text file in UTF-8")) << bytes;
  EXPECT_TRUE(Checked(kernel("a /* \xC3\xBC \xE2\x82\xAC \xF0\x9F\x99\x82 */")).isSound());
}

TEST(Text, TooLarge) {
  EXPECT_EQ(Checked(std::string(10'000'000, '(')).message(),
            "the file has 10000000 bytes; at most 1048576 (1 MiB) are allowed");
}

TEST(Text, TooDeep) {
  const std::string message = "nested more than 200 brackets deep; split it with let or fn";
  EXPECT_EQ(Checked(std::string(1'000'000, '(')).message(), message);
  EXPECT_EQ(Checked(kernel(repeat("(", 300) + "a" + repeat(")", 300))).message(), message);
  EXPECT_EQ(Checked(kernel(repeat("abs(", 300) + "a" + repeat(")", 300))).message(), message);
  EXPECT_TRUE(Checked(kernel(repeat("(", 199) + "a" + repeat(")", 199))).isSound());
}

TEST(Text, TooManyOperators) {
  const std::string message = "more than 500 operators in one statement; split it with let or fn";
  EXPECT_EQ(Checked(kernel("a" + repeat("+a", 100'000))).message(), message);
  EXPECT_EQ(Checked(kernel(repeat("- ", 100'000) + "a")).message(), message);
  EXPECT_TRUE(Checked(kernel("a" + repeat("+a", 498))).isSound());
}

TEST(Text, UnclosedComment) {
  EXPECT_EQ(Checked(kernel("a") + repeat("/*/", 100'001)).message(),
            "this comment does not end; expected '*/'");
}

TEST(Text, ManyErrorsAreCounted) {
  EXPECT_TRUE(Checked(kernel(repeat("a; let = ", 50'000))).messages().ends_with(" more errors\n"));
}

TEST(Text, ManyArguments) {
  EXPECT_EQ(Checked(kernel("relu(" + repeat("a,", 100'000) + "a)")).message(),
            "'relu' takes 1 argument (x), found 100001");
}

TEST(Text, LongChainOfFunctions) {
  std::string text = "fn f0(x) = x;\n";
  for (int i = 1; i < 20'000; ++i)
    text += "fn f" + std::to_string(i) + "(x) = f" + std::to_string(i - 1) + "(x);\n";
  EXPECT_EQ(Checked(text + kernel("f19999(a)")).message(),
            "calls nest more than 1500 operations deep here");
  EXPECT_TRUE(Checked(text + kernel("f700(a)")).isSound());
}

TEST(Text, LongCircleOfFunctions) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "fn f" + std::to_string(i) + "(x) = f" + std::to_string((i + 1) % 20'000) + "(x);\n";
  EXPECT_EQ(Checked(text + kernel("f7(a)")).message(),
            "'f0' calls itself (f0 -> f1 -> f2 -> f3 -> f4 -> ... -> f0); functions are inlined, "
            "so recursion is not possible");
}

} // namespace
} // namespace mmk
