// The target of a command: a kernel of a file, a machine, a variant. The same options for every
// command that takes a program.
#pragma once

#include "cli/command_line.h"
#include "machines/machine.h"

namespace mmk::driver {

struct Target {
  /// An option for one of two targets: "--b", its text "l1=1,machine=host", and the choices in it.
  struct Side {
    std::string option, text, choices;
  };

  std::string file;
  std::optional<std::string> kernel, machine, variant;
  std::vector<std::string> machineSets, sets;
  std::optional<Side> side;
  std::optional<std::string> maxMemory;
  std::vector<std::string> words; ///< behind the file: "M=128"

  void addOptionsTo(CommandLine &commandLine);
  /// Takes the file from the words that are no options; returns the words after it. Sets the limit
  /// of memory.
  std::vector<std::string> takeFile(std::vector<std::string> words, std::string_view command);
  /// The same for an optional file.
  void takeFileAlone(std::vector<std::string> words, std::string_view command);
};

/// "PATH=VALUE" each.
std::vector<MachineOverride> machineOverrides(const std::vector<std::string> &texts);

/// Loads a machine; an error in it is a UserError.
Machine loadMachineOrRefuse(const std::string &nameOrFile, const std::vector<std::string> &sets);

} // namespace mmk::driver
