// The optimization log: a trace of guided tuning as Markdown.
#include "explain/remedies.h"
#include "tune/guided_tuner.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::tune {
namespace {

/// How many of the changes counted in a round are listed.
constexpr size_t alsoHelped = 3, didNotHelp = 6, waitsNamed = 3;

double share(int64_t part, int64_t all) {
  return 100 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(1, all));
}

double saved(int64_t before, int64_t after) { return share(before - after, before); }

double reached(const Diagnosis &at) {
  return at.clock.microseconds > 0 ? 100 * at.roof.microseconds() / at.clock.microseconds : 0;
}

/// "-3.8 %": less time, or more
std::string timeOf(int64_t before, int64_t after) {
  const double more = -saved(before, after);
  return std::abs(more) < 0.05 ? "0.0 %" : fmt::format("{:+.1f} %", more);
}

std::string code(const std::string &text) { return "`" + text + "`"; }

std::string codeOf(const Choices &change) {
  std::vector<std::string> words;
  for (const auto &[key, word] : change)
    words.push_back(key + "=" + word);
  return code(fmt::format("{}", fmt::join(words, ", ")));
}

/// "cube 90.6 % -> 84.9 %": the pipes whose share of the time changed most.
std::string pipesOf(const Diagnosis &before, const Diagnosis &after) {
  struct Moved {
    std::string name;
    double from, to;
  };
  std::vector<Moved> moved;
  for (const bool onVector : {false, true})
    for (Pipe pipe : allPipes) {
      const auto i = static_cast<size_t>(pipe);
      const double from =
                       100 * (onVector ? before.clock.vectorUnits : before.clock.cubeUnit)[i].ratio,
                   to = 100 * (onVector ? after.clock.vectorUnits : after.clock.cubeUnit)[i].ratio;
      moved.push_back({fmt::format("{}{}", onVector ? "vector " : "", spelling(pipe)), from, to});
    }
  std::ranges::sort(moved, {},
                    [](const Moved &it) { return std::pair(-std::abs(it.to - it.from), it.name); });
  std::vector<std::string> parts;
  for (const Moved &it : moved)
    if (std::abs(it.to - it.from) >= 1 && parts.size() < 3)
      parts.push_back(fmt::format("{} busy {:.1f} % -> {:.1f} %", it.name, it.from, it.to));
  return fmt::format("{}", fmt::join(parts, ", "));
}

class Log {
public:
  explicit Log(const Machine &machine) : machine_(machine) {}

  std::string write(const TuningTrace &trace) {
    trace_ = &trace;
    version_ = 0;
    std::vector<std::string> dims;
    for (const auto &[name, size] : trace.dims)
      dims.push_back(fmt::format("{} = {}", name, size));
    text_ = fmt::format("\n## {}{}\n\n", trace.name.empty() ? "" : trace.name + ": ",
                        fmt::join(dims, ", "));
    versions();
    for (size_t i = 0; i < trace.rounds.size(); ++i)
      round(trace.rounds[i], i + 1);
    end();
    return std::move(text_);
  }

private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values &&...values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  void versions() {
    line("| version | change | cycles | us | time | of the roof | check |");
    line("|---|---|---|---|---|---|---|");
    row("v0", "", trace_->first, trace_->firstFailure);
    int version = 0;
    for (const Round &round : trace_->rounds)
      if (round.after)
        row(round.isKept() ? fmt::format("v{}", ++version) : "dropped", codeOf(round.made->choices),
            *round.after, round.failure);
    line("");
    line("v0 is {}.", code(trace_->first.variant));
    if (version > 0)
      line("v{} is {}.", version, code(trace_->last.variant));
  }

  void row(const std::string &version, const std::string &change, const Diagnosis &at,
           const std::string &failure) {
    const int64_t first = trace_->first.clock.cycles;
    line("| {} | {} | {} | {:.2f} | {} | {:.1f} % | {} |", version, change, at.clock.cycles,
         at.clock.microseconds, &at == &trace_->first ? "" : timeOf(first, at.clock.cycles),
         reached(at), failure.empty() ? "passed" : "failed");
  }

  void round(const Round &round, size_t number) {
    line("\n### Round {}, from v{}\n", number, version_);
    bottleneck(round.before);
    if (round.after)
      change(round);
    else
      line("- **Change**: none. None of {} single changes saves time{}.", counted(round),
           round.pairs ? fmt::format(", nor any of {} pairs", round.pairs) : "");
    failures(round);
    if (round.isKept())
      ++version_;
  }

  void bottleneck(const Diagnosis &at) {
    std::vector<std::string> symptoms;
    for (const Symptom &finding : at.symptoms)
      symptoms.push_back(finding.text);
    line("- **Bottleneck**: {}. {:.1f} % of the roof, which is {}.", fmt::join(symptoms, "; "),
         reached(at), at.roof.isBoundByCompute() ? "compute" : "memory");
    std::vector<std::string> waits;
    for (const WaitReport &wait : at.waits)
      if (waits.size() < waitsNamed && share(wait.cycles, at.clock.cycles) >= 1)
        waits.push_back(fmt::format("{}, {} cycles ({:.1f} % of the time)",
                                    sentenceOf(wait, machine_.topology), wait.cycles,
                                    share(wait.cycles, at.clock.cycles)));
    if (!waits.empty())
      line("- **Waits**, those of busy pipes first: {}.", fmt::join(waits, "; "));
  }

  void change(const Round &round) {
    const Choices &made = round.made->choices;
    const bool isExpected = std::ranges::any_of(
        round.before.symptoms, [&](const Symptom &it) { return actsOn(made, it.bottleneck); });
    line("- **Change**: {}. Why: {}; {}{}.", codeOf(made), reasonOf(made, round.before.choices),
         isExpected ? "it acts on the bottleneck" : "it does not act on the bottleneck",
         round.pairs
             ? fmt::format(". No single change saves time, so {} pairs were counted", round.pairs)
             : "");
    const Diagnosis &after = *round.after;
    std::string moved = pipesOf(round.before, after);
    if (after.traffic.all() != round.before.traffic.all())
      moved += fmt::format("{}{:.1f} MB -> {:.1f} MB to and from global memory",
                           moved.empty() ? "" : ", ", megabytes(round.before), megabytes(after));
    line("- **Result**: {} -> {} cycles, {}{}{}. {}.", round.before.clock.cycles,
         after.clock.cycles, timeOf(round.before.clock.cycles, after.clock.cycles),
         moved.empty() ? "" : "; ", moved,
         round.isKept() ? fmt::format("Results equal the reference's: kept as v{}", version_ + 1)
                        : fmt::format("Results differ from the reference's, a bug in mmk: dropped. "
                                      "{}",
                                      round.failure));
  }

  static double megabytes(const Diagnosis &at) {
    return static_cast<double>(at.traffic.all()) / 1e6;
  }

  /// The other changes: first those that would have helped too, then those that act on the
  /// bottleneck without helping, the best first.
  void failures(const Round &round) {
    const int64_t now = round.before.clock.cycles;
    std::vector<std::string> helped, lost;
    size_t impossible = 0, others = 0;
    for (const WhatIf &change : round.tried) {
      if (!change.exists) {
        ++impossible;
        continue;
      }
      if (round.made && change.choices == round.made->choices)
        continue;
      const std::string text =
          fmt::format("{} {}", codeOf(change.choices), timeOf(now, change.cycles));
      if (change.cycles < now && helped.size() < alsoHelped)
        helped.push_back(text);
      else if (change.cycles >= now && lost.size() < didNotHelp && isExpected(round, change))
        lost.push_back(text);
      else
        ++others;
    }
    if (!helped.empty())
      line("- **Would have helped too**: {}.", fmt::join(helped, ", "));
    if (!lost.empty())
      line("- **Did not help**, although it acts on the bottleneck: {}.", fmt::join(lost, ", "));
    if (others + impossible > 0)
      line("- {} other changes were counted; {} are not legal on {}.", others, impossible,
           machine_.name);
  }

  static bool isExpected(const Round &round, const WhatIf &change) {
    return std::ranges::any_of(round.before.symptoms, [&](const Symptom &finding) {
      return actsOn(change.choices, finding.bottleneck);
    });
  }
  static size_t counted(const Round &round) {
    return std::ranges::count_if(round.tried, &WhatIf::exists);
  }

  void end() {
    const Diagnosis &first = trace_->first, &last = trace_->last;
    line("\n### End\n");
    const std::string why = trace_->isAtItsBest
                                ? "No change and no pair of changes saves time any more."
                                : "The rounds are used up; there may be more to gain.";
    if (last.variant == first.variant)
      line("v0 stays: {:.1f} % of the roof. {}", reached(first), why);
    else
      line("{} -> {} cycles, {}: {:.2f} us instead of {:.2f} us on {} of {} cores, {:.1f} % of the "
           "roof. {}",
           first.clock.cycles, last.clock.cycles, timeOf(first.clock.cycles, last.clock.cycles),
           last.clock.microseconds, first.clock.microseconds, last.clock.cores, machine_.cubeCores,
           reached(last), why);
  }

  const Machine &machine_;
  const TuningTrace *trace_ = nullptr;
  int version_ = 0;
  std::string text_;
};

} // namespace

std::string optimizationLog(const Kernel &kernel, const Machine &machine,
                            const std::vector<TuningTrace> &traces, const std::string &command) {
  std::string text =
      fmt::format("# Optimization log: {} on {}\n\nWritten by\n\n```\n{}\n```\n\n"
                  "Each round finds the bottleneck of a version, counts all changes of one "
                  "directive, applies the one\nthat saves most time, and compares its results with "
                  "the reference before it is kept. Times are\ncounted on the emulated core, so "
                  "they are the same on every computer.\n",
                  kernel.name, machine.name, command);
  Log log(machine);
  for (const TuningTrace &trace : traces)
    text += log.write(trace);
  return text;
}

} // namespace mmk::tune
