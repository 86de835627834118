// The options of `mmk tune` beside the target.
#pragma once

#include "cli/command_line.h"
#include "tune/tuner.h"

namespace mmk::driver {

struct TuneCommandOptions {
  std::vector<std::string> cases;
  std::optional<std::string> json, report;
  tune::SpaceOptions space; ///< without the fixed choices
  tune::TuneOptions tune;
  int64_t threads = 1, profiles = 0;
  bool noCache = false;
  std::optional<int> rounds; ///< of --guided; nothing for a search

  void addOptionsTo(CommandLine &commandLine);
  /// Called once the words are split: reads the numbers and the names.
  void read();

private:
  void readGuided();

  bool guided_ = false;
  std::optional<std::string> rounds_;
  std::optional<std::string> effort_, budget_, seed_, objective_, check_, threads_, profiles_;
  std::vector<std::string> sweeps_;
};

} // namespace mmk::driver
