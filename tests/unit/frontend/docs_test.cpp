// Programs that users copy from: every ```mmk block of the documentation, and every example file,
// must be accepted without a message.
#include "tests/unit/checked.h"
#include "tests/unit/text_file.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>

namespace mmk {
namespace {

std::vector<std::filesystem::path> files(const char *folder, const char *extension) {
  std::vector<std::filesystem::path> result;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(MMK_SOURCE_DIR) / folder))
    if (entry.path().extension() == extension)
      result.push_back(entry.path());
  std::ranges::sort(result);
  return result;
}

TEST(Documentation, EveryProgramIsSound) {
  unsigned blocks = 0;
  for (const auto &file : files("docs", ".md")) {
    const std::string text = textOfFile(file), open = "\n```mmk\n", close = "\n```";
    for (size_t begin = text.find(open); begin != text.npos; begin = text.find(open, begin + 1)) {
      const size_t end = text.find(close, begin + open.size());
      ASSERT_NE(end, text.npos) << file << ": a block without an end";
      const size_t first = begin + open.size();
      EXPECT_EQ(Checked(text.substr(first, end - first + 1)).messages(), "") << file;
      ++blocks;
    }
  }
  EXPECT_GE(blocks, 10u);
}

TEST(Documentation, EveryExampleIsSound) {
  for (const auto &file : files("examples", ".mmk"))
    EXPECT_EQ(Checked(textOfFile(file)).messages(), "") << file;
}

TEST(Documentation, ShowsMessagesAsTheyAre) {
  const Checked checked("kernel gemm(a: f16[M, K], b: f16[N, K]) -> c: f32[M, N] {\n"
                        "  let x = a @ b;\n  c = x;\n}\n");
  std::string messages = checked.messages();
  for (size_t at = 0; (at = messages.find("test.mmk", at)) != messages.npos;)
    messages.replace(at, 4, "gemm");
  EXPECT_NE(
      textOfFile(std::filesystem::path(MMK_SOURCE_DIR) / "docs" / "language.md").find(messages),
      std::string::npos)
      << messages;
}

TEST(Documentation, NamesEveryFunctionOfThePrelude) {
  const std::string manual =
      textOfFile(std::filesystem::path(MMK_SOURCE_DIR) / "docs" / "language.md");
  std::istringstream prelude(
      textOfFile(std::filesystem::path(MMK_SOURCE_DIR) / "dsl" / "prelude.mmk"));
  for (std::string line; std::getline(prelude, line);)
    if (line.starts_with("fn ")) {
      const std::string head = line.substr(3, line.find(')') - 2);
      EXPECT_NE(manual.find("`" + head + "`"), std::string::npos) << head;
    }
}

} // namespace
} // namespace mmk
