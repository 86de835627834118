// The subcommands of mmk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mmk::driver {

struct Command {
  std::string_view name;
  std::string_view help; ///< the whole page of `mmk help NAME`
  /// Takes the words behind the name, returns the exit code.
  int (*run)(const std::vector<std::string> &words);
};

/// In the order in which help lists them.
const std::vector<Command> &commands();
std::vector<std::string> commandNames();
/// The command of this name; a UserError when there is none.
const Command &command(const std::string &name);

int runCommand(const std::vector<std::string> &words);
int compileCommand(const std::vector<std::string> &words);
int tuneCommand(const std::vector<std::string> &words);
int cacheCommand(const std::vector<std::string> &words);
int compareCommand(const std::vector<std::string> &words);
int explainCommand(const std::vector<std::string> &words);
int benchCommand(const std::vector<std::string> &words);
int reportCommand(const std::vector<std::string> &words);
int checkCommand(const std::vector<std::string> &words);
int formatCommand(const std::vector<std::string> &words);
int importCommand(const std::vector<std::string> &words);
int machinesCommand(const std::vector<std::string> &words);
int helpCommand(const std::vector<std::string> &words);

} // namespace mmk::driver
