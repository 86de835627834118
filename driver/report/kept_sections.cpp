// The sections of what was kept: times that were measured, and what searches tried and dropped.
#include "cli/environment.h"
#include "driver/report/kernel_report.h"
#include "support/units.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mmk::driver {
namespace {

constexpr size_t alternativesShown = 16, variantsShown = 5, changesShown = 8;

using Environment = std::map<std::string, std::string>;

/// "cpu: AMD EPYC; threads: 2": the fields in the order of the fingerprint.
std::string textOf(const Environment &environment) {
  std::string text;
  for (const auto &[field, here] : fingerprint(/*threads=*/1))
    if (const auto found = environment.find(field); found != environment.end())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", field, found->second);
  return text.empty() ? "a computer that the file does not name" : text;
}

/// "0.8 %"; of a difference that these digits do not show, that.
std::string slowerText(double share) {
  return share > 0 && share < 0.0005 ? "less than 0.1 %" : percent(share);
}

/// Tables of times, one for each environment.
class MeasuredTimes {
public:
  void addBench(const FromFile<BenchReport> &kept) {
    const BenchCase &each = kept.result.cases.front();
    const Environment environment(kept.result.fingerprint.begin(), kept.result.fingerprint.end());
    for (const auto &[what, series] :
         {std::pair("kernel", &each.kernel), std::pair("`mmk run`, whole", &each.command)})
      if (*series) {
        const Summary summary = (*series)->summary();
        add(environment, {each.title(), what, fourDigits(summary.p50), fourDigits(summary.min),
                          fourDigits(summary.p90), std::to_string((*series)->samples.size()),
                          percent(summary.relativeDeviation()),
                          each.passed ? *each.passed ? "passed" : "failed" : "not checked",
                          kept.file, fmt::format("`{}`", kept.result.variant)});
      }
  }

  void addRun(const FromFile<SavedCase> &kept) {
    const SavedCase &each = kept.result;
    const SideFigures &figures = each.figures;
    if (!figures.hostMs)
      return;
    add(each.environment,
        {each.name.empty() ? each.title() : each.name, "kernel", fourDigits(*figures.hostMs), "",
         "", "", "", figures.passed ? *figures.passed ? "passed" : "failed" : "not checked",
         kept.file, fmt::format("`{}`", each.side.variant)});
  }

  void addSearch(const FromFile<SavedTune> &kept, const std::string &title) {
    if (!kept.result.best || kept.result.best->cycles > 0)
      return;
    for (const auto &[what, variant] : {std::pair("kernel, best of the search", &kept.result.best),
                                        std::pair("kernel, default", &kept.result.byDefault)})
      if (*variant)
        add(kept.result.environment,
            {title, what, fourDigits((*variant)->microseconds / 1000), "", "", "", "",
             !(*variant)->passed   ? "not checked"
             : *(*variant)->passed ? "passed"
                                   : "failed",
             kept.file, fmt::format("`{}`", (*variant)->variant)});
  }

  void write(report::Article &article) const {
    for (const auto &[environment, rows] : tables_) {
      article.heading(3, "Times");
      article.paragraph("Milliseconds, measured on: " + textOf(environment) + ".");
      article.add(report::Grid{{"case", "of", "median", "least", "90 %", "samples", "deviation",
                                "check", "from", "variant"},
                               "<<>>>>><<<",
                               rows});
    }
  }
  bool isEmpty() const { return tables_.empty(); }

private:
  void add(const Environment &environment, std::vector<std::string> row) {
    tables_[environment].push_back(std::move(row));
  }

  std::map<Environment, std::vector<std::vector<std::string>>> tables_;
};

void addCycles(const KernelReport &report, report::Article &article) {
  report::Grid grid = {{"case", "kept cycles", "by", "from", "variant"}, "<><<<", {}};
  const auto add = [&](const std::string &title, int64_t cycles, const std::string &build,
                       const std::string &file, const std::string &variant) {
    grid.rows.push_back({title, std::to_string(cycles), build, file, fmt::format("`{}`", variant)});
  };
  const auto buildIn = [](const auto &environment) {
    std::string text;
    for (const auto &[field, value] : environment)
      if (isOfMmk(field))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field, value);
    return text;
  };
  for (const auto &[file, run] : report.kept.runs)
    if (run.figures.clock)
      add(run.name.empty() ? run.title() : run.name, run.figures.clock->cycles,
          buildIn(run.environment), file, run.side.variant);
  for (const auto &[file, bench] : report.kept.benches)
    if (const BenchCase &each = bench.cases.front(); each.cycles)
      add(each.title(), *each.cycles, buildIn(bench.fingerprint), file, bench.variant);
  if (grid.rows.empty())
    return;
  article.heading(3, "Cycles that were kept");
  article.paragraph("As counted then; another version of mmk may count others now.");
  article.add(std::move(grid));
}

void addHistories(const KernelReport &report, report::Article &article) {
  if (report.kept.histories.empty())
    return;
  article.heading(3, "History");
  report::Grid grid = {{"case", "figure", "first", "last", "change", "threshold", "results",
                        "slower", "since", "until", "on"},
                       "<<>>>>>>>><",
                       {}};
  grid.alignment = "<<>>>>>><<<";
  for (const auto &[file, row] : report.kept.histories) {
    const auto figure = [&, isExact = row.isExact()](double value) {
      return isExact ? fmt::format("{:.0f}", value) : fourDigits(value);
    };
    const KeptResult &first = row.results.front(), &last = row.results.back();
    const auto slower = std::ranges::count_if(row.results, &KeptResult::isSlower);
    grid.rows.push_back({row.title, row.figure, figure(first.value), figure(last.value),
                         fmt::format("{:+.1f} %", 100 * (last.value / first.value - 1)),
                         row.threshold > 0 ? figure(row.threshold) : "-",
                         std::to_string(row.results.size()), std::to_string(slower), first.time,
                         last.time, row.computer.empty() ? "every computer" : row.computer});
  }
  article.add(std::move(grid));
}

/// The parts of a variant's name, "l1" -> "2".
std::map<std::string, std::string> partsOf(const std::string &variant) {
  std::map<std::string, std::string> parts;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(variant).split(words, ',');
  for (llvm::StringRef word : words) {
    const auto [name, value] = word.split('=');
    parts[name.str()] = value.str();
  }
  return parts;
}

double slowerBy(const SavedVariant &variant, const SavedVariant &best) {
  return variant.microseconds / best.microseconds - 1;
}

/// For each choice that the best variant does not make, the best of the variants that make it.
void addAlternatives(const SavedTune &tune, report::Article &article) {
  const std::map<std::string, std::string> best = partsOf(tune.best->variant);
  std::map<std::string, const SavedVariant *> fastest;
  for (const SavedVariant &variant : tune.variants)
    for (const auto &[name, value] : partsOf(variant.variant))
      if (const auto own = best.find(name); own == best.end() || own->second != value) {
        const SavedVariant *&known = fastest[fmt::format("{}={}", name, value)];
        if (!known || variant.microseconds < known->microseconds)
          known = &variant;
      }
  std::vector<std::pair<std::string, const SavedVariant *>> rows(fastest.begin(), fastest.end());
  std::ranges::stable_sort(rows, {}, [](const auto &row) { return row.second->microseconds; });
  report::Grid grid = {{"choice that was dropped", "us at best", "slower by"}, "<>>", {}};
  for (const auto &[choice, variant] : rows)
    if (grid.rows.size() < alternativesShown)
      grid.rows.push_back({fmt::format("`{}`", choice),
                           fmt::format("{:.2f}", variant->microseconds),
                           slowerText(slowerBy(*variant, *tune.best))});
  if (grid.rows.empty())
    return;
  const size_t shown = grid.rows.size();
  article.add(std::move(grid));
  if (rows.size() > shown)
    article.paragraph(fmt::format("{} more choices were slower still.", rows.size() - shown));
}

void addTune(const std::string &file, const SavedTune &tune, report::Article &article) {
  article.paragraph(
      fmt::format("The search of `{}`, at all of its cases: of {:.0f} points, {} were counted and "
                  "{} known before; {} were refused, as "
                  "they do not fit the machine; {} cannot win by a lower bound of their time. {}.",
                  file, tune.space, tune.counted, tune.remembered, tune.refused, tune.bounded,
                  tune.isExhaustive ? "All points are decided" : "Not all points were looked at"));
  if (!tune.best) {
    article.note("It found no variant that is legal and right.");
    return;
  }
  addAlternatives(tune, article);
  report::Grid grid = {
      {"variant", "us", "slower by"}, "<>>", {}, "The next best variants of the search"};
  for (size_t i = 1; i < tune.variants.size() && i <= variantsShown; ++i)
    grid.rows.push_back({fmt::format("`{}`", tune.variants[i].variant),
                         fmt::format("{:.2f}", tune.variants[i].microseconds),
                         slowerText(slowerBy(tune.variants[i], *tune.best))});
  if (!grid.rows.empty())
    article.add(std::move(grid));
  for (const SavedVariant &wrong : tune.failed)
    article.note(fmt::format("`{}` was dropped: its results are wrong, which is a bug of mmk.",
                             wrong.variant));
}

void addGuided(const std::string &file, const SavedGuided &guided, report::Article &article) {
  article.paragraph(fmt::format("The guided search of `{}`, {}:", file,
                                guided.isAtItsBest ? "until no change saved time"
                                                   : "ended by its number of rounds"));
  report::Grid grid = {{"change", "changes tried", "us before", "us after", ""}, "<>>><", {}};
  for (const SavedGuided::Round &round : guided.rounds)
    grid.rows.push_back(
        {round.change.empty() ? "none saves time" : fmt::format("`{}`", round.change),
         std::to_string(round.tried), fmt::format("{:.2f}", round.before.microseconds),
         round.change.empty() ? "" : fmt::format("{:.2f}", round.after.microseconds),
         round.change.empty() ? ""
         : round.isKept       ? "kept"
                              : "dropped: " + round.failure});
  article.add(std::move(grid));
}

/// The changes of the best version that were counted now and cost time, or cannot be.
void addChanges(const ReportCase &each, report::Article &article) {
  const int64_t cycles = each.best()->clock.cycles;
  report::Grid slower = {{"change of the best version", "cycles", "slower by"}, "<>>", {}};
  report::Grid refused = {{"change", "reason"}, "<<", {}, "Changes that were refused, and why"};
  size_t slowerInAll = 0, refusedInAll = 0;
  for (const tune::WhatIf &change : each.changes.alone)
    if (!change.exists) {
      if (++refusedInAll <= changesShown)
        refused.rows.push_back({fmt::format("`{}`", optionsOf(change.choices)), change.reason});
    } else if (change.cycles > cycles && ++slowerInAll <= changesShown) {
      slower.rows.push_back(
          {fmt::format("`{}`", optionsOf(change.choices)), std::to_string(change.cycles),
           slowerText(static_cast<double>(change.cycles) / static_cast<double>(cycles) - 1)});
    }
  article.paragraph(fmt::format("Counted now, one change of the best version at a time: {} cost "
                                "time, {} are refused.",
                                slowerInAll, refusedInAll));
  for (report::Grid *grid : {&slower, &refused})
    if (!grid->rows.empty())
      article.add(std::move(*grid));
}

} // namespace

void addMeasured(const KernelReport &report, report::Article &article) {
  article.heading(2, "Measured");
  MeasuredTimes times;
  for (const auto &kept : report.kept.benches)
    times.addBench(kept);
  for (const auto &kept : report.kept.runs)
    times.addRun(kept);
  for (const ReportCase &each : report.cases)
    for (const auto &kept : report.kept.tunes)
      if (report.isAbout(kept.result.dims, each.run))
        times.addSearch(kept, report.titleOf(each.run));
  if (!times.isEmpty() && report.cases.front().best())
    article.paragraph(
        fmt::format("These are the times of a computer that computes the results of the "
                    "kernel as {} would, not of the chip.",
                    report.machine->name));
  times.write(article);
  if (times.isEmpty())
    article.note(fmt::format("No time on a computer was kept: `{} --save bench.json` measures.",
                             report.commandFor("bench", nullptr)));
  addCycles(report, article);
  if (report.kept.runs.empty())
    article.note(fmt::format("No run was kept: `{} --json run.json` checks the results.",
                             report.commandFor("run", nullptr)));
  addHistories(report, article);
  if (report.kept.histories.empty())
    article.note(fmt::format("No history was kept: `{}{} --history history` begins one.",
                             report.commandFor("bench", nullptr),
                             report.cases.front().best() ? " --count-only" : ""));
}

void addTried(const KernelReport &report, report::Article &article) {
  article.heading(2, "Tried and dropped");
  for (const ReportCase &each : report.cases) {
    article.heading(3, report.titleOf(each.run));
    for (const auto &[file, tune] : report.kept.tunes)
      if (report.isAbout(tune.dims, each.run))
        addTune(file, tune, article);
    for (const auto &[file, guided] : report.kept.guided)
      if (report.isAbout(guided.dims, each.run))
        addGuided(file, guided, article);
    if (!each.isSearched)
      article.note(fmt::format("No search was kept: `{} --json tune.json` makes one.",
                               report.commandFor("tune", &each.run)));
    if (each.best())
      addChanges(each, article);
  }
}

} // namespace mmk::driver
