// `mmk tune --guided`: guided tuning, and its log.
#pragma once

#include "cli/run_case.h"
#include "driver/session.h"
#include "tune/verifier.h"

namespace mmk::driver {

struct GuidedOptions {
  int rounds = 5;
  std::string log = "optimization_log.md"; ///< path of the log
  std::string command;                     ///< the command line, as the log shows it
  std::optional<std::string> json;         ///< the rounds for programs; "-": to standard output
};

/// Begins with the variant of the command line, and does not change what `--set` fixes. Returns the
/// exit code: a variant that fails its check is a wrong result.
int tuneGuided(Session &session, const std::vector<RunCase> &runs, tune::Verifier &verifier,
               const GuidedOptions &options);

/// "mmk tune FILE ...": a command with these words, as a shell takes it.
std::string commandOf(const std::string &name, const std::vector<std::string> &words);

} // namespace mmk::driver
