// What holds of every formatted text, for tests.
#pragma once

#include "format/format.h"
#include "frontend/compile.h"
#include "frontend/parse_tree.h"

#include <cctype>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

namespace mmk {

/// How many samples are drawn; MMK_SAMPLES in the environment draws more.
inline uint64_t samplesOr(uint64_t few) {
  const char *wanted = std::getenv("MMK_SAMPLES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : few;
}

struct Formatted {
  explicit Formatted(std::string text)
      : result(formatProgram("test.mmk", std::move(text), diagnostics, file)) {}

  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  std::optional<std::string> result;
};

/// Tokens and comments in the order of a text; of comments without the white space in them, which
/// ends of lines differ in.
inline std::vector<std::string> tokensOf(const std::string &text) {
  const SourceFile file("test.mmk", text);
  Diagnostics diagnostics;
  const auto tree = ParseTree::of(file, diagnostics);
  std::vector<std::string> result;
  if (tree && tree->isSound())
    for (antlr4::Token *token : tree->tokens()) {
      result.push_back(token->getText());
      std::erase_if(result.back(), [](unsigned char c) { return std::isspace(c); });
    }
  return result;
}

/// Of a text that parses: its tokens and comments stay, and its style is that of a second time.
inline void expectSound(const std::string &text) {
  const Formatted once(text);
  ASSERT_TRUE(once.result) << once.diagnostics.render() << text;
  EXPECT_EQ(tokensOf(*once.result), tokensOf(text)) << text;
  const Formatted twice(*once.result);
  ASSERT_TRUE(twice.result) << twice.diagnostics.render() << *once.result;
  EXPECT_EQ(*twice.result, *once.result) << text;

  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const auto before = printSyntaxTree("test.mmk", text, diagnostics, file);
  EXPECT_EQ(printSyntaxTree("test.mmk", *once.result, diagnostics, file), before) << text;
}

} // namespace mmk
