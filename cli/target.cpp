#include "cli/target.h"

#include "cli/ending.h"
#include "cli/memory_limit.h"
#include "cli/option_values.h"
#include "support/timing.h"

#include <fmt/format.h>

namespace mmk::driver {

void Target::addOptionsTo(CommandLine &commandLine) {
  commandLine.option("--kernel", "NAME", kernel);
  commandLine.option("--machine", "NAME|FILE", machine);
  commandLine.repeated("--machine-set", "PATH=VALUE", machineSets);
  commandLine.repeated("--set", "DIRECTIVE=VALUE", sets);
  commandLine.option("--variant", "NAME", variant);
  commandLine.option("--max-memory", "SIZE", maxMemory);
}

std::vector<std::string> Target::takeFile(std::vector<std::string> words,
                                          std::string_view command) {
  if (words.empty())
    throw UserError(fmt::format("expected a file: mmk {} FILE", command));
  file = words.front();
  words.erase(words.begin());
  limitMemory(maxMemory);
  this->words = words;
  return words;
}

void Target::takeFileAlone(std::vector<std::string> words, std::string_view command) {
  const std::vector<std::string> rest = takeFile(std::move(words), command);
  if (!rest.empty())
    throw UserError(fmt::format("expected one file, found '{}' and '{}'", file, rest.front()));
}

std::vector<MachineOverride> machineOverrides(const std::vector<std::string> &texts) {
  std::vector<MachineOverride> overrides;
  for (const std::string &text : texts) {
    auto [path, value] = nameAndValue(text, "--machine-set PATH=VALUE");
    overrides.push_back({std::move(path), std::move(value)});
  }
  return overrides;
}

Machine loadMachineOrRefuse(const std::string &nameOrFile, const std::vector<std::string> &sets) {
  const TimedScope timed("load the machine");
  llvm::Expected<Machine> machine = loadMachine(nameOrFile, machineOverrides(sets));
  if (!machine)
    throw UserError(llvm::toString(machine.takeError()));
  return std::move(*machine);
}

} // namespace mmk::driver
