#include "tune/guided_tuner.h"

#include "count/count.h"
#include "store/identity.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::tune {
namespace {

/// A change that saves a smaller share of the time is not applied.
constexpr double leastGain = 0.0005;
/// The number of single changes, best first, whose pairs are tried.
constexpr size_t mostOfPairs = 24;

/// A failure to count is a bug of mmk, whichever variant it is at.
struct CountingFailed {
  std::string message;
};

} // namespace

/// The rounds from one variant to the next.
struct GuidedTuner::Rounds {
  GuidedTuner &tuner;
  const std::vector<int64_t> &dims;
  const Check &check;
  const Watch &watch;
  std::set<std::string> dropped = {}; ///< variants that failed their check

  Diagnosis look(const Choices &choices) {
    Lowering lowering = tuner.lower(choices);
    if (!lowering)
      throw CountingFailed{lowering.messages.render()};
    llvm::Expected<Diagnosis> at = diagnose(lowering, tuner.kernel_, tuner.machine_, dims);
    if (!at)
      throw CountingFailed{llvm::toString(at.takeError())};
    return std::move(*at);
  }

  std::vector<WhatIf> tryAll(const std::vector<Choices> &changes, const Diagnosis &at) {
    const TrialWays ways = {
        [&](const Choices &change) { return tuner.lower(both(at.choices, change)); },
        [&](Lowering &lowering) {
          llvm::Expected<ClockReport> clock = countKernel(lowering.kernel(), tuner.machine_, dims);
          if (!clock)
            throw CountingFailed{llvm::toString(clock.takeError())};
          return *clock;
        },
        [&](const Choices &change) { watch("counting " + mmk::spelling(change)); },
        [&](Lowering &lowering) { return lowering.kernel().limitProblem(dims); }};
    return tryChanges(changes, at.variant, at.clock.cycles, ways).alone;
  }

  std::vector<Choices> changesOfOne(const Choices &now) const {
    std::vector<Choices> changes = neighboursOf(tuner.kernel_, tuner.machine_, now);
    std::erase_if(changes, [&](const Choices &change) {
      return shareDirective(change, tuner.options_.fixed);
    });
    return changes;
  }

  static std::vector<Choices> pairsOf(const std::vector<WhatIf> &tried) {
    std::vector<Choices> pairs;
    const size_t count = std::min(mostOfPairs, tried.size());
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j)
        if (tried[i].exists && tried[j].exists &&
            !shareDirective(tried[i].choices, tried[j].choices))
          pairs.push_back(both(tried[i].choices, tried[j].choices));
    return pairs;
  }

  /// The fastest change that saves time and was not dropped before.
  std::optional<WhatIf> best(const std::vector<WhatIf> &tried, const Diagnosis &at) {
    const double enough = static_cast<double>(at.clock.cycles) * (1 - leastGain);
    for (const WhatIf &change : tried)
      if (change.exists && static_cast<double>(change.cycles) <= enough &&
          !dropped.contains(tuner.lower(both(at.choices, change.choices)).variant))
        return change;
    return std::nullopt;
  }

  Round round(const Diagnosis &at) {
    Round round;
    round.before = at;
    round.tried = tryAll(changesOfOne(at.choices), at);
    round.made = best(round.tried, at);
    if (!round.made) {
      const std::vector<WhatIf> pairs = tryAll(pairsOf(round.tried), at);
      round.pairs = std::ranges::count_if(pairs, &WhatIf::exists);
      round.made = best(pairs, at);
    }
    if (!round.made)
      return round;
    round.after = look(both(at.choices, round.made->choices));
    watch("checking " + mmk::spelling(round.made->choices));
    round.failure = check(round.after->choices);
    if (!round.isKept())
      dropped.insert(round.after->variant);
    return round;
  }
};

Lowering GuidedTuner::lower(const Choices &choices) {
  PipelineOptions options;
  options.choices = choices;
  options.proveSync = false; // a variant that is kept is compiled with the proof, for its check
  return compiler_.lower(kernel_, compiler_.toIr(kernel_), LoweringLevel::aicore, options,
                         /*findsNearest=*/false);
}

llvm::Expected<TuningTrace> GuidedTuner::run(const Choices &start, const std::vector<int64_t> &dims,
                                             const Check &check, const Watch &watch) {
  Rounds rounds{*this, dims, check, watch};
  TuningTrace trace;
  trace.dims = shownDims(kernel_, dims);
  try {
    trace.first = trace.last = rounds.look(start);
    watch("checking the first variant");
    trace.firstFailure = check(trace.first.choices);
    for (int number = 0; number < options_.rounds && !trace.isAtItsBest; ++number) {
      Round round = rounds.round(trace.last);
      trace.isAtItsBest = !round.made;
      if (round.isKept())
        trace.last = *round.after;
      trace.rounds.push_back(std::move(round));
    }
  } catch (const CountingFailed &failed) {
    return llvm::createStringError(failed.message);
  }
  return trace;
}

} // namespace mmk::tune
