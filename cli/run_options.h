// The options of `mmk run` beside the target: the data, and how to run.
#pragma once

#include "cli/command_line.h"
#include "frontend/kernel.h"
#include "runtime/data.h"

#include <map>

namespace mmk::driver {

struct RunOptions {
  std::vector<std::string> cases;
  std::optional<std::string> json, profile;
  std::map<std::string, std::string> inputs, outputs; ///< file by tensor
  int64_t seed = 1;
  DataKind data = DataKind::uniform;
  int64_t warmup = 0, repeat = 1, threads = 1;
  bool noCheck = false, watch = false, countOnly = false, noCache = false, timing = false;

  void addOptionsTo(CommandLine &commandLine);
  /// Called once the words are split: reads the numbers and the names.
  void read();
  /// Called once the kernel is known: checks its tensors, and how many cases run.
  void checkAgainst(const Kernel &kernel, size_t cases) const;

private:
  std::optional<std::string> seedText_, dataText_, warmupText_, repeatText_, threadsText_;
  std::vector<std::string> inputTexts_, outputTexts_;
};

} // namespace mmk::driver
