#include "driver/tune_options.h"

#include "driver/ending.h"
#include "frontend/numbers.h"
#include "runtime/threads.h"
#include "support/diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

constexpr int64_t maximumVariants = 1000000000, maximumThreads = 1024, maximumProfiles = 1000,
                  maximumRounds = 1000;
constexpr double maximumSeconds = 1e6;

template <typename Value>
Value oneOf(const std::string &option, const std::string &text,
            const std::vector<std::pair<std::string, Value>> &legal) {
  std::vector<std::string> names;
  for (const auto &[name, value] : legal) {
    if (name == text)
      return value;
    names.push_back(name);
  }
  throw Mistake(
      fmt::format("{} is {}, found '{}'{}", option, listOf(names), text, didYouMean(text, names)));
}

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
  throw Mistake(fmt::format("--budget is a number of variants from 1 to {}, or seconds, such as "
                            "30s; found '{}'",
                            maximumVariants, text));
}

/// "tile.M=32,64", or a directive alone. Commas stand also inside of no word: swizzle(4).
std::pair<std::string, std::vector<std::string>> sweepFrom(const std::string &text) {
  const auto [key, values] = llvm::StringRef(text).split('=');
  std::pair<std::string, std::vector<std::string>> sweep(key.str(), {});
  if (key.empty() || text.ends_with('='))
    throw Mistake(fmt::format("expected --sweep DIRECTIVE or --sweep DIRECTIVE=VALUE,..., found "
                              "'{}'",
                              text));
  llvm::SmallVector<llvm::StringRef> words;
  if (!values.empty())
    values.split(words, ',');
  for (llvm::StringRef word : words)
    sweep.second.push_back(word.trim().str());
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
      throw Mistake("--rounds is of --guided, which is not given");
    return;
  }
  for (const auto &[given, option] :
       {std::pair(!sweeps_.empty(), "--sweep"), std::pair(space.explores, "--explore"),
        std::pair(effort_.has_value(), "--effort"), std::pair(budget_.has_value(), "--budget"),
        std::pair(seed_.has_value(), "--seed"), std::pair(objective_.has_value(), "--objective"),
        std::pair(check_.has_value(), "--check"), std::pair(profiles_.has_value(), "--profiles")})
    if (given)
      throw Mistake(fmt::format("{} is of a search; --guided changes one thing at a time", option));
  rounds = rounds_ ? static_cast<int>(wholeNumber("--rounds", *rounds_, 1, maximumRounds)) : 5;
}

void TuneCommandOptions::read() {
  readGuided();
  using tune::CheckMode, tune::Effort;
  if (effort_)
    tune.effort =
        oneOf<Effort>("--effort", *effort_,
                      {{"none", Effort::none}, {"quick", Effort::quick}, {"full", Effort::full}});
  if (check_)
    tune.check = oneOf<CheckMode>(
        "--check", *check_,
        {{"winner", CheckMode::winner}, {"all", CheckMode::all}, {"none", CheckMode::none}});
  if (budget_)
    tune.budget = budgetFrom(*budget_);
  if (seed_)
    tune.seed = wholeNumber("--seed", *seed_, 0, INT64_MAX);
  if (objective_) {
    auto objective = tune::Objective::parse(*objective_);
    if (!objective)
      throw Mistake(llvm::toString(objective.takeError()));
    tune.objective = *objective;
  }
  threads = threads_ ? wholeNumber("--threads", *threads_, 1, maximumThreads) : availableThreads();
  if (profiles_) {
    if (!report)
      throw Mistake("--profiles writes into the folder of --report DIR, which is not given");
    profiles = wholeNumber("--profiles", *profiles_, 0, maximumProfiles);
  }
  for (const std::string &text : sweeps_) {
    auto sweep = sweepFrom(text);
    for (const auto &[key, words] : space.swept)
      if (key == sweep.first)
        throw Mistake(fmt::format("--sweep is given twice for {}", key));
    space.swept.push_back(std::move(sweep));
  }
}

} // namespace mmk::driver
