// `mmk help [COMMAND]`
#include "driver/command.h"
#include "driver/command_line.h"
#include "driver/ending.h"
#include "driver/help_pages.h"
#include "driver/terminal.h"

#include <fmt/format.h>

namespace mmk::driver {

int helpCommand(const std::vector<std::string> &words) {
  const std::vector<std::string> names = CommandLine("help").parse(words);
  if (names.size() > 1)
    throw Mistake(fmt::format("expected one command, found '{}' and '{}'", names[0], names[1]));
  print(names.empty() ? overviewPage : command(names.front()).help);
  return allWell;
}

} // namespace mmk::driver
