// `mmk help [COMMAND]`
#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/help_pages.h"
#include "cli/terminal.h"
#include "driver/command.h"

#include <fmt/format.h>

namespace mmk::driver {

int helpCommand(const std::vector<std::string> &words) {
  const std::vector<std::string> names = CommandLine("help").parse(words);
  if (names.size() > 1)
    throw UserError(fmt::format("expected one command, found '{}' and '{}'", names[0], names[1]));
  print(names.empty() ? overviewPage : command(names.front()).help);
  return success;
}

} // namespace mmk::driver
