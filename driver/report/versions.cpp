// The sections of the versions of a kernel: the ladder, the roofline, and the next steps.
#include "driver/report/kernel_report.h"
#include "driver/run_page.h"
#include "explain/remedies.h"
#include "report/charts.h"
#include "support/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// A smaller gain is shown as none.
constexpr double leastGain = 0.0005;
constexpr size_t gainsShown = 5;

std::string versionName(const Ladder &ladder, const Version &version) {
  return fmt::format("v{} {}", &version - ladder.versions.data(), version.name);
}

std::string changesText(const Version &version) {
  return version.changes.empty() ? "" : fmt::format("`{}`", spelling(version.changes));
}

/// "mte2 82.0 %, cube 12.1 %": the pipes with most of the critical path.
std::string pathOf(const tune::Diagnosis &at, const Machine &machine) {
  std::vector<std::pair<int64_t, std::string>> shares;
  for (const auto &[where, cycles] : at.path.byPipe)
    shares.emplace_back(cycles, where.first && machine.topology == Topology::split
                                    ? fmt::format("{} of the vector core", spelling(where.second))
                                    : std::string(spelling(where.second)));
  std::ranges::stable_sort(shares, std::greater(), &std::pair<int64_t, std::string>::first);
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(2, shares.size()); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", shares[i].second,
                        percent(static_cast<double>(shares[i].first) /
                                static_cast<double>(std::max<int64_t>(1, at.path.cycles))));
  return text;
}

/// "20, 89.6 %": how many have work, and how much of the time, until the slowest is done.
std::string coresOf(const ClockReport &clock, const Machine &machine) {
  const auto share = [&](int64_t cycles, int64_t cores) {
    return static_cast<double>(cycles) /
           static_cast<double>(std::max<int64_t>(1, cores * clock.cycles));
  };
  // Of the cube cores; where they have no work, of the vector cores.
  return fmt::format(
      "{}, {}", clock.cores,
      percent(clock.cubeCoreCycles > 0
                  ? share(clock.cubeCoreCycles, clock.cores)
                  : share(clock.vectorCoreCycles, clock.cores * machine.vectorCoresPerCube)));
}

void addTable(const KernelReport &report, const ReportCase &each, report::Article &article) {
  report::Grid grid = {{"version", "cycles", "us", "times as fast as v0", "than the one before",
                        "of the bound", "cores at work", "most of the critical path"},
                       "<>>>>>><",
                       {}};
  const tune::Diagnosis *before = nullptr;
  for (const Version &version : each.ladder.versions) {
    const tune::Diagnosis &at = *version.at;
    const double now = at.clock.microseconds;
    grid.rows.push_back(
        {versionName(each.ladder, version), std::to_string(at.clock.cycles),
         fmt::format("{:.2f}", now), timesText(each.first()->clock.microseconds / now),
         before ? timesText(before->clock.microseconds / now) : "", percent(shareOfBound(at)),
         coresOf(at.clock, *report.machine), pathOf(at, *report.machine)});
    before = &at;
  }
  article.add(std::move(grid));
  std::string limits;
  for (const tune::Symptom &symptom : each.best()->symptoms)
    limits += (limits.empty() ? "" : "; ") + symptom.text;
  article.paragraph(
      fmt::format("What limits {}: {}.", versionName(each.ladder, each.ladder.best()), limits));
}

void addVariants(const KernelReport &report, const ReportCase &each, report::Article &article) {
  report::Grid grid = {{"version", "what it adds", "changed choices", "`--variant`"}, "<<<<", {}};
  for (const Version &version : each.ladder.versions)
    grid.rows.push_back({versionName(each.ladder, version), version.idea, changesText(version),
                         fmt::format("`{}`", version.variant)});
  article.add(std::move(grid));
  for (const std::string &omitted : each.ladder.omitted)
    article.note("Left out, " + omitted + ".");
}

void addPictures(const KernelReport &report, const ReportCase &each, report::Article &article) {
  const std::string prefix =
      fmt::format("{}-{}", report.kernel->name, each.run.name.empty() ? "dims" : each.run.name);
  std::vector<report::Step> steps;
  std::vector<report::Point> points;
  for (const Version &version : each.ladder.versions) {
    steps.push_back({versionName(each.ladder, version), version.at->clock.microseconds});
    points.push_back(pointOf(version.variant, version.at->clock, version.at->traffic,
                             version.at->roof.portIsOfVectorCore));
    points.back().label = versionName(each.ladder, version);
  }
  const tune::Roofline &roof = each.best()->roof;
  article.add(report::Picture{prefix + "-ladder.svg",
                              report::ladderChart(steps, roof.microseconds()),
                              "The time of each version on a logarithmic scale, from the bound on, "
                              "which no variant beats."});
  if (roof.operations > 0)
    article.add(report::Picture{
        prefix + "-roofline.svg", report::rooflineChart(roofsOf(roof, *report.machine), points),
        "Roofline. A diamond counts the bytes that the cores load, repeated loads included, and "
        "relates to the ports of the cores to L2; a circle, of the first and the last version, "
        "counts the bytes of every tensor once, and relates to HBM."});
}

/// Without a clock: the versions, and the times that kept measurements have of them.
void addMeasuredLadder(const KernelReport &report, const ReportCase &each,
                       report::Article &article) {
  report::Grid grid = {
      {"version", "kernel, ms", "from", "changed choices", "`--variant`"}, "<><<<", {}};
  const Version *missing = nullptr;
  for (const Version &version : each.ladder.versions) {
    std::string time = "-", from;
    for (const auto &[file, bench] : report.kept.benches)
      if (bench.variant == version.variant && bench.cases.front().kernel &&
          report.isAbout(bench.cases.front().dims, each.run)) {
        time = fourDigits(bench.cases.front().kernel->summary().p50);
        from = file;
      }
    if (from.empty())
      missing = &version;
    grid.rows.push_back({versionName(each.ladder, version), time, from, changesText(version),
                         fmt::format("`{}`", version.variant)});
  }
  article.add(std::move(grid));
  for (const std::string &omitted : each.ladder.omitted)
    article.note("Left out, " + omitted + ".");
  if (missing)
    article.note(fmt::format("A version without a time was not measured, or not on this machine: "
                             "`{} --variant '{}' --no-command --save {}.json`",
                             report.commandFor("bench", &each.run), missing->variant,
                             missing->name));
}

void addGains(const KernelReport &report, const ReportCase &each, report::Bullets &bullets) {
  const int64_t cycles = each.best()->clock.cycles;
  const auto gainOf = [&](const tune::WhatIf &change) {
    return static_cast<double>(cycles - change.cycles) / static_cast<double>(cycles);
  };
  size_t shown = 0;
  for (const tune::WhatIf &change : each.changes.alone)
    if (change.exists && gainOf(change) >= leastGain && shown < gainsShown) {
      bullets.texts.push_back(
          fmt::format("Try `{}`, which saves {}, {} cycles: {}.", optionsOf(change.choices),
                      percent(gainOf(change)), cycles - change.cycles,
                      tune::reasonOf(change.choices, each.ladder.best().choices)));
      ++shown;
    }
  if (each.changes.together)
    bullets.texts.push_back(fmt::format("Together: `{}` saves {}.",
                                        optionsOf(each.changes.together->choices),
                                        percent(gainOf(*each.changes.together))));
  if (shown == 0)
    bullets.texts.push_back(fmt::format(
        "No single change of a directive saves time. `{} --guided` also counts pairs of changes.",
        report.commandFor("tune", &each.run)));
}

} // namespace

void addVersions(const KernelReport &report, report::Article &article) {
  article.heading(2, "Versions");
  for (const ReportCase &each : report.cases) {
    article.heading(3, fmt::format("{}: {}", report.titleOf(each.run), report.dimsOf(each.run)));
    if (!each.best()) {
      addMeasuredLadder(report, each, article);
      continue;
    }
    addPictures(report, each, article);
    addTable(report, each, article);
    addVariants(report, each, article);
  }
}

void addNextSteps(const KernelReport &report, report::Article &article) {
  article.heading(2, "Next steps");
  for (const ReportCase &each : report.cases) {
    article.heading(3, report.titleOf(each.run));
    report::Bullets bullets;
    if (each.best())
      addGains(report, each, bullets);
    if (!each.isSearched)
      bullets.texts.push_back(
          fmt::format("Search: `{} --json tune.json`.", report.commandFor("tune", &each.run)));
    article.add(std::move(bullets));
  }
}

} // namespace mmk::driver
