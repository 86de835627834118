// What a command works on: a kernel of a file, a machine, a variant. The same words for every
// command that takes a program.
#pragma once

#include "cli/command_line.h"
#include "machines/machine.h"

namespace mmk::driver {

struct Target {
  /// What an option says of one of two targets: "--b", "l1=1,machine=host", and of that the
  /// choices.
  struct Side {
    std::string option, text, choices;
  };

  std::string file;
  std::optional<std::string> kernel, machine, variant;
  std::vector<std::string> machineSets, sets;
  std::optional<Side> side;
  std::optional<std::string> maxMemory;

  void addOptionsTo(CommandLine &commandLine);
  /// Takes the file from the words that are no options; returns those behind it. From here on the
  /// memory has its limit.
  std::vector<std::string> takeFile(std::vector<std::string> words, std::string_view command);
  /// The same, when there may be none.
  void takeFileAlone(std::vector<std::string> words, std::string_view command);
};

/// "PATH=VALUE" each.
std::vector<MachineOverride> machineOverrides(const std::vector<std::string> &texts);

/// Loads a machine, or says what is wrong with it.
Machine loadMachineOrRefuse(const std::string &nameOrFile, const std::vector<std::string> &sets);

} // namespace mmk::driver
