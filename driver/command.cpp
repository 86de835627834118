#include "driver/command.h"

#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/help_pages.h"

#include <fmt/format.h>

namespace mmk::driver {

const std::vector<Command> &commands() {
  static const std::vector<Command> all = {
      {"run", runPage, runCommand},
      {"compile", compilePage, compileCommand},
      {"tune", tunePage, tuneCommand},
      {"cache", cachePage, cacheCommand},
      {"compare", comparePage, compareCommand},
      {"explain", explainPage, explainCommand},
      {"bench", benchPage, benchCommand},
      {"report", reportPage, reportCommand},
      {"check", checkPage, checkCommand},
      {"format", formatPage, formatCommand},
      {"import", importPage, importCommand},
      {"machines", machinesPage, machinesCommand},
      {"help", overviewPage, helpCommand},
  };
  return all;
}

std::vector<std::string> commandNames() {
  std::vector<std::string> names;
  for (const Command &each : commands())
    names.emplace_back(each.name);
  return names;
}

const Command &command(const std::string &name) {
  for (const Command &each : commands())
    if (each.name == name)
      return each;
  throw UserError(fmt::format("unknown command '{}'{}; commands: {}", name,
                              didYouMean(name, commandNames()), listOf(commandNames(), "and")));
}

} // namespace mmk::driver
