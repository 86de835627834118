// The style of whole texts: tests/format/NAME.mmk is formatted as NAME.expected.
// `./dev goldens unit/format` rewrites the expected texts; read them then. And what holds of every
// text: of the project's, and of those with comments at all places.
#include "tests/unit/format/formatted.h"
#include "tests/unit/text_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace mmk {
namespace {

using std::filesystem::path;

const path root = MMK_SOURCE_DIR;

std::vector<path> filesOf(const path &folder) {
  std::vector<path> result;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".mmk")
      result.push_back(entry.path());
  std::ranges::sort(result);
  return result;
}

bool parses(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  return printSyntaxTree("test.mmk", text, diagnostics, file).has_value();
}

/// All texts of the project that parse.
std::vector<path> programs() {
  std::vector<path> result;
  for (const char *folder : {"examples", "bench", "dsl", "tests"})
    for (const path &file : filesOf(root / folder))
      if (parses(textOfFile(file)))
        result.push_back(file);
  return result;
}

TEST(Style, Goldens) {
  const std::vector<path> files = filesOf(root / "tests" / "format");
  EXPECT_FALSE(files.empty());
  for (path file : files) {
    const Formatted formatted(textOfFile(file));
    ASSERT_TRUE(formatted.result) << file << formatted.diagnostics.render();
    expectSound(textOfFile(file));
    const path expected = file.replace_extension(".expected");
    if (std::getenv("MMK_UPDATE"))
      std::ofstream(expected, std::ios::binary) << *formatted.result;
    EXPECT_EQ(*formatted.result, textOfFile(expected)) << file;
  }
}

TEST(Style, ExamplesAndThePreludeAreInIt) {
  std::vector<path> files = filesOf(root / "examples");
  files.push_back(root / "dsl" / "prelude.mmk");
  EXPECT_GT(files.size(), 40u);
  for (const path &file : files)
    EXPECT_EQ(Formatted(textOfFile(file)).result.value_or(""), textOfFile(file)) << file;
}

TEST(Style, EveryTextOfTheProjectIsSound) {
  const std::vector<path> files = programs();
  EXPECT_GT(files.size(), 300u);
  for (const path &file : files)
    expectSound(textOfFile(file));
}

TEST(Style, ATextWithASyntaxErrorIsRefusedWithItsPlace) {
  const Formatted formatted("kernel k(x: f32[N]) -> y: f32[N] {\n  y = x x;\n}\n");
  EXPECT_FALSE(formatted.result);
  EXPECT_EQ(formatted.diagnostics.render(),
            "test.mmk:2:9: error: expected an operator or ';', found 'x'\n"
            "    2 |   y = x x;\n"
            "      |         ^\n");
  EXPECT_FALSE(Formatted(std::string(size_t(2) << 20, ' ')).result);
}

/// `text` with comments of all forms behind some of its tokens.
std::string withComments(const std::string &text, std::mt19937 &random) {
  const SourceFile file("test.mmk", text);
  Diagnostics diagnostics;
  const auto tree = ParseTree::of(file, diagnostics);
  static const std::vector<std::string> forms = {" // a\n",
                                                 "\n// b\n",
                                                 "/* c */",
                                                 " /* d */ ",
                                                 "\n/* e */ ",
                                                 "/* f */\n",
                                                 "\n\n/* g\n   g */\n",
                                                 "\n\n\n// h\n\n\n",
                                                 "\r\n// i\r\n",
                                                 " /* j */ // j\n",
                                                 "/* k */ /* k */\n\n",
                                                 "\n",
                                                 " \t"};
  std::string result = std::uniform_int_distribution(0, 3)(random) == 0 ? "// start" : "";
  result += result.empty() ? "" : "\n\n";
  uint32_t at = 0;
  bool isPattern = false;
  for (antlr4::Token *token : tree->tokens()) {
    const SourceRange where = tree->places()(token);
    result += text.substr(at, where.end - at);
    at = where.end;
    // A pattern of machines is one word.
    isPattern = token->getType() == grammar::MmkLexer::FOR ||
                (isPattern && token->getType() != grammar::MmkLexer::LEFT_BRACE);
    const bool isLineComment = token->getType() == grammar::MmkLexer::LINE_COMMENT;
    if (!isPattern && !isLineComment && std::uniform_int_distribution(0, 5)(random) == 0)
      result += " " + forms[std::uniform_int_distribution<size_t>(0, forms.size() - 1)(random)];
  }
  return result;
}

TEST(Style, CommentsStayAtTheirTokens) {
  std::mt19937 random(1);
  for (uint64_t round = 0; round < samplesOr(300); round += 300)
    for (const path &file : programs())
      expectSound(withComments(textOfFile(file), random));
}

} // namespace
} // namespace mmk
