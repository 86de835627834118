#include "driver/bench/against.h"

#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/table.h"
#include "cli/terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::driver {
namespace {

using Verdict = BenchChange::Verdict;

std::string nameOf(const std::string &machine, const std::vector<std::string> &sets) {
  return sets.empty() ? machine : fmt::format("{} with {}", machine, fmt::join(sets, " "));
}

struct Difference {
  std::string field, before, now;
};

std::vector<Difference> differences(const BenchReport &before, const BenchReport &now) {
  std::vector<Difference> all;
  const auto compare = [&](const std::string &field, const std::string &a, const std::string &b) {
    if (a != b)
      all.push_back({field, a, b});
  };
  compare("machine", nameOf(before.machine, before.machineSets),
          nameOf(now.machine, now.machineSets));
  for (const auto &[field, value] : now.fingerprint) {
    const auto old =
        std::ranges::find(before.fingerprint, field, &std::pair<std::string, std::string>::first);
    compare(field, old == before.fingerprint.end() ? "not recorded" : old->second, value);
  }
  return all;
}

bool measuresTime(const BenchReport &report) {
  return std::ranges::any_of(report.cases,
                             [](const BenchCase &each) { return each.kernel || each.command; });
}

bool countsCycles(const BenchReport &report) {
  return std::ranges::any_of(report.cases,
                             [](const BenchCase &each) { return each.cycles.has_value(); });
}

BenchChange compareTimes(const std::string &title, const std::string &what, const Series &before,
                         const Series &now, double threshold) {
  BenchChange change{title, what, before.summary().p50, now.summary().p50,
                     rankTest(before.samples, now.samples).p};
  if (change.p < significance && change.now > change.before * (1 + threshold))
    change.verdict = Verdict::slower;
  else if (change.p < significance && change.now * (1 + threshold) < change.before)
    change.verdict = Verdict::faster;
  return change;
}

BenchChange compareCycles(const std::string &title, int64_t before, int64_t now) {
  BenchChange change{title, "cycles", static_cast<double>(before), static_cast<double>(now)};
  change.isExact = true;
  change.verdict = now > before ? Verdict::slower : now < before ? Verdict::faster : Verdict::same;
  return change;
}

} // namespace

bool BenchComparison::hasSlowDown() const {
  return std::ranges::any_of(
      changes, [](const BenchChange &change) { return change.verdict == Verdict::slower; });
}

Baseline readBaseline(const std::string &file, const BenchReport &now, bool isTimed,
                      bool isForced) {
  Baseline baseline{file, readBenchReport(file), {}};
  const BenchReport &before = baseline.report;
  if (before.kernel != now.kernel)
    throw UserError(
        fmt::format("{} is a measurement of '{}', not of '{}'", file, before.kernel, now.kernel));
  const bool comparesTimes = isTimed && measuresTime(before);
  std::vector<std::string> refused;
  for (const Difference &each : differences(before, now)) {
    const std::string what = fmt::format("{} was '{}', is '{}'", each.field, each.before, each.now);
    // Counting is the same on every computer.
    const bool mayDiffer = isOfMmk(each.field) || (each.field != "machine" && !comparesTimes);
    if (mayDiffer || isForced)
      baseline.remarks.push_back(what);
    else
      refused.push_back(fmt::format("{} was measured elsewhere: {}", file, what));
  }
  const std::string clockBefore = clockVersionOf(before.fingerprint),
                    clockNow = clockVersionOf(now.fingerprint);
  if (clockBefore != clockNow && countsCycles(before) && !isForced)
    refused.push_back(fmt::format("{} has cycles of version {} of the clock, which cannot be "
                                  "compared with those of version {}",
                                  file, clockBefore, clockNow));
  if (!refused.empty())
    throw UserError(fmt::format("{}; --force compares anyway", fmt::join(refused, "\n")));
  if (before.variant != now.variant)
    baseline.remarks.push_back(
        fmt::format("variant was '{}', is '{}'", before.variant, now.variant));
  return baseline;
}

BenchComparison compare(const BenchReport &now, const Baseline &baseline, double threshold) {
  const BenchReport &before = baseline.report;
  BenchComparison comparison{baseline.file, {}, baseline.remarks};
  for (const BenchCase &each : now.cases) {
    const auto old = std::ranges::find_if(before.cases, [&](const BenchCase &other) {
      return other.name == each.name && other.dims == each.dims;
    });
    if (old == before.cases.end()) {
      comparison.remarks.push_back(fmt::format("{}: not in {}", each.title(), baseline.file));
      continue;
    }
    if (old->cycles && each.cycles)
      comparison.changes.push_back(compareCycles(each.title(), *old->cycles, *each.cycles));
    if (old->kernel && each.kernel)
      comparison.changes.push_back(
          compareTimes(each.title(), "kernel", *old->kernel, *each.kernel, threshold));
    if (old->command && each.command)
      comparison.changes.push_back(
          compareTimes(each.title(), "command", *old->command, *each.command, threshold));
  }
  if (comparison.changes.empty())
    throw UserError(fmt::format("{} has no figure of these cases to compare with", baseline.file));
  return comparison;
}

std::string text(const BenchComparison &comparison) {
  Table table("<<>>>><");
  table.add({"case", "figure", "before", "now", "change", "p", ""});
  for (const BenchChange &change : comparison.changes) {
    const auto figure = [&](double value) {
      return change.isExact ? fmt::format("{:.0f}", value) : fourDigits(value);
    };
    table.add({change.title, change.isExact ? change.what : change.what + " ms",
               figure(change.before), figure(change.now),
               fmt::format("{:+.1f} %", 100 * change.change()),
               change.isExact ? "exact" : fmt::format("{:.2g}", change.p),
               change.verdict == Verdict::slower   ? coloured("1;31", "slower")
               : change.verdict == Verdict::faster ? coloured("32", "faster")
                                                   : "same"});
  }
  std::string text = fmt::format("\nagainst {}:\n{}", comparison.file, table.text());
  for (const std::string &remark : comparison.remarks)
    text += remark + "\n";
  return text;
}

} // namespace mmk::driver
