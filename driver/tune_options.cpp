#include "driver/tune_options.h"

#include "cli/ending.h"
#include "cli/option_values.h"
#include "frontend/numbers.h"
#include "schedule/directive.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace mmk::driver {
namespace {

constexpr int64_t maximumVariants = 1000000000, maximumProfiles = 1000, maximumRounds = 1000;
constexpr double maximumSeconds = 1e6;

/// "2000" variants, or "30s".
tune::Budget budgetFrom(const std::string &text) {
  tune::Budget budget;
  double seconds = 0;
  if (llvm::StringRef rest(text); rest.consume_back("s")) {
    if (!rest.getAsDouble(seconds) && seconds > 0 && seconds <= maximumSeconds) {
      budget.seconds = seconds;
      return budget;
    }
  } else if (const auto variants = parseInteger(text);
             variants && *variants >= 1 && *variants <= maximumVariants) {
    budget.variants = *variants;
    return budget;
  }
  throw UserError(fmt::format("--budget is a number of variants from 1 to {}, or seconds, such as "
                              "30s; found '{}'",
                              maximumVariants, text));
}

/// "tile.M=32,64", or a directive alone. Commas in parentheses do not separate: swizzle(4).
std::pair<std::string, std::vector<std::string>> sweepFrom(const std::string &text) {
  const auto [key, values] = llvm::StringRef(text).split('=');
  std::pair<std::string, std::vector<std::string>> sweep(withoutAlias(key), {});
  if (key.empty() || text.ends_with('='))
    throw UserError(fmt::format("expected --sweep DIRECTIVE or --sweep DIRECTIVE=VALUE,..., found "
                                "'{}'",
                                text));
  llvm::SmallVector<llvm::StringRef> words;
  if (!values.empty())
    values.split(words, ',');
  for (llvm::StringRef word : words)
    sweep.second.push_back(wordWithoutAlias(key, word.trim()));
  return sweep;
}

} // namespace

void TuneCommandOptions::addOptionsTo(CommandLine &commandLine) {
  commandLine.repeated("--case", "NAME", cases);
  commandLine.repeated("--sweep", "DIRECTIVE[=VALUES]", sweeps_);
  commandLine.flag("--explore", space.explores);
  commandLine.flag("--guided", guided_);
  commandLine.option("--rounds", "N", rounds_);
  commandLine.option("--effort", "LEVEL", effort_);
  commandLine.option("--budget", "N", budget_);
  commandLine.option("--seed", "N", seed_);
  commandLine.option("--objective", "GOALS", objective_);
  commandLine.option("--check", "WHICH", check_);
  commandLine.option("--threads", "N", threads_);
  commandLine.flag("--no-cache", noCache);
  commandLine.option("--report", "DIR", report);
  commandLine.option("--profiles", "N", profiles_);
  commandLine.option("--json", "FILE", json);
}

void TuneCommandOptions::readGuided() {
  if (!guided_) {
    if (rounds_)
      throw UserError("--rounds is of --guided, which is not given");
    return;
  }
  if (const char *option = firstGiven({{!sweeps_.empty(), "--sweep"},
                                       {space.explores, "--explore"},
                                       {effort_.has_value(), "--effort"},
                                       {budget_.has_value(), "--budget"},
                                       {seed_.has_value(), "--seed"},
                                       {objective_.has_value(), "--objective"},
                                       {check_.has_value(), "--check"},
                                       {profiles_.has_value(), "--profiles"}}))
    throw UserError(fmt::format("{} is for a search; --guided makes one change at a time", option));
  rounds = rounds_ ? static_cast<int>(wholeNumber("--rounds", *rounds_, 1, maximumRounds)) : 5;
}

void TuneCommandOptions::read() {
  readGuided();
  using tune::CheckMode, tune::Effort;
  if (effort_)
    tune.effort = oneOf<Effort>("--effort", *effort_,
                                {{"none", Effort::none},
                                 {"quick", Effort::quick},
                                 {"full", Effort::full},
                                 {"random", Effort::random}});
  if (check_)
    tune.check = oneOf<CheckMode>(
        "--check", *check_,
        {{"winner", CheckMode::winner}, {"all", CheckMode::all}, {"none", CheckMode::none}});
  if (budget_)
    tune.budget = budgetFrom(*budget_);
  tune.seed = seedFrom(seed_, tune.seed);
  if (objective_) {
    auto objective = tune::Objective::parse(*objective_);
    if (!objective)
      throw UserError(llvm::toString(objective.takeError()));
    tune.objective = *objective;
  }
  threads = threadsFrom(threads_);
  if (profiles_) {
    if (!report)
      throw UserError("--profiles writes into the folder of --report DIR, which is not given");
    profiles = wholeNumber("--profiles", *profiles_, 0, maximumProfiles);
  }
  for (const std::string &text : sweeps_) {
    auto sweep = sweepFrom(text);
    for (const auto &[key, words] : space.swept)
      if (key == sweep.first)
        throw UserError(fmt::format("--sweep is given twice for {}", key));
    space.swept.push_back(std::move(sweep));
  }
}

} // namespace mmk::driver
