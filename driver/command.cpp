#include "driver/command.h"

#include "driver/command_line.h"
#include "driver/ending.h"
#include "driver/help_pages.h"

#include <fmt/format.h>

namespace mmk::driver {

const std::vector<Command> &commands() {
  static const std::vector<Command> all = {
      {"run", runPage, runCommand},
      {"compile", compilePage, compileCommand},
      {"compare", comparePage, compareCommand},
      {"explain", explainPage, explainCommand},
      {"bench", benchPage, benchCommand},
      {"check", checkPage, checkCommand},
      {"machines", machinesPage, machinesCommand},
      {"help", overviewPage, helpCommand},
  };
  return all;
}

const Command &command(const std::string &name) {
  std::vector<std::string> names;
  for (const Command &each : commands()) {
    if (each.name == name)
      return each;
    names.emplace_back(each.name);
  }
  throw Mistake(fmt::format("unknown command '{}'{}; commands: {}", name, didYouMean(name, names),
                            listOf(names, "and")));
}

} // namespace mmk::driver
