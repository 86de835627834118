// The tables at the end of docs/machines.md have the figures of the descriptions.
#include "machines/machine.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace mmk;

namespace {

const std::string path = MMK_SOURCE_DIR "/docs/machines.md";
const std::string marker = "./dev goldens unit/machines -->\n";

std::string tableOf(const Machine &machine, const std::map<std::string, std::string> &known) {
  std::string rows;
  for (size_t i = 0; i < machine.figures.size(); ++i) {
    const auto &[figure, value] = machine.figures[i];
    const auto base = known.find(figure);
    if (figure == "description" || (base != known.end() && base->second == value))
      continue;
    rows += fmt::format("| `{}` | {} | {} |\n", figure, value, machine.sources[i].second);
  }
  return rows.empty() ? "" : "| figure | value | source |\n|---|---|---|\n" + rows;
}

std::string legendOf(const Machine &machine) {
  std::string text = "\n| source | stands for |\n|---|---|\n";
  for (const auto &[word, meaning] : machine.legend)
    text += fmt::format("| {} | {} |\n", word, meaning);
  return text;
}

std::map<std::string, std::string> figuresOf(const Machine &machine) {
  return {machine.figures.begin(), machine.figures.end()};
}

std::string generate() {
  const Machine base = llvm::cantFail(loadMachine("ascend910b3"));
  std::string text = legendOf(base);
  const std::map<std::string, std::string> figures = figuresOf(base);

  const auto add = [&](const Machine &machine, const std::string &note,
                       const std::map<std::string, std::string> &known) {
    text += fmt::format("\n### {}\n\n{}.{}\n\n{}", machine.name, machine.description, note,
                        tableOf(machine, known));
  };
  add(base, "", {});
  for (const char *name : {"ascend910b1", "ascend910b2", "ascend910b4"})
    add(llvm::cantFail(loadMachine(name)), " Differs from ascend910b3 in:", figures);
  add(llvm::cantFail(loadMachine("ascend310p3")), "", {});
  const Machine next = llvm::cantFail(loadMachine("ascend950pr"));
  add(next, " Its sources:\n" + legendOf(next), {});
  add(llvm::cantFail(loadMachine("ascend950dt")), " Differs from ascend950pr in:", figuresOf(next));
  return text;
}

} // namespace

TEST(MachineDocs, TablesAreUpToDate) {
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  std::string text = content.str();
  const size_t at = text.find(marker);
  ASSERT_NE(at, text.npos) << path << " has lost the line that ends in " << marker;
  const std::string before = text.substr(0, at + marker.size());
  const std::string expected = before + generate();
  if (std::getenv("MMK_UPDATE")) {
    std::ofstream(path) << expected;
    text = expected;
  }
  EXPECT_TRUE(text == expected)
      << "docs/machines.md differs from the descriptions; ./dev goldens rewrites it";
}
