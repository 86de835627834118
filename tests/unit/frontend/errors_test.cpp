// One wrong program a message: tests/errors/NAME.mmk must be refused with exactly the text in
// NAME.expected. `./dev goldens unit/frontend` rewrites the expected texts; read them then.
#include "frontend/compile.h"
#include "tests/unit/text_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace mmk {
namespace {

using std::filesystem::path;

const path folder = path(MMK_SOURCE_DIR) / "tests" / "errors";

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mmk")
      result.push_back(entry.path().stem().string());
  std::ranges::sort(result);
  return result;
}

class WrongProgram : public testing::TestWithParam<std::string> {};

TEST_P(WrongProgram, IsRefusedInTheseWords) {
  const path source = folder / (GetParam() + ".mmk"),
             expected = folder / (GetParam() + ".expected");
  const std::string text = textOfFile(source);
  EXPECT_TRUE(text.starts_with("// ")) << "the first line says why the program makes no sense";

  static const Machine machine = llvm::cantFail(loadMachine("ascend910b3")); // of `mmk check`
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const auto program = checkProgram(source.filename().string(), text, diagnostics, file, &machine);
  const std::string rendered = diagnostics.render();
  // A program with only warnings is valid; only then does it own its file.
  EXPECT_EQ(program.has_value(), !diagnostics.hasErrors());
  EXPECT_FALSE(diagnostics.all().empty()) << "this program is not wrong";
  if (std::getenv("MMK_UPDATE"))
    std::ofstream(expected, std::ios::binary) << rendered;
  ASSERT_TRUE(std::filesystem::exists(expected)) << "no expected text; ./dev goldens writes it:\n"
                                                 << rendered;
  EXPECT_EQ(rendered, textOfFile(expected));
}

INSTANTIATE_TEST_SUITE_P(Errors, WrongProgram, testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace mmk
