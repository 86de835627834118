// The sections that say what was measured, how, and where.
#include "cli/environment.h"
#include "driver/report/kernel_report.h"
#include "print/run_report.h"
#include "support/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::driver {
namespace {

/// The case with most work.
const ReportCase &largest(const KernelReport &report) {
  return *std::ranges::max_element(report.cases, {}, [](const ReportCase &each) {
    return each.best() ? each.best()->roof.operations : 0;
  });
}

void addKeyFigures(const KernelReport &report, report::Article &article) {
  const ReportCase &each = largest(report);
  const tune::Diagnosis *first = each.first(), *best = each.best();
  if (!best)
    return;
  const std::string title = report.titleOf(each.run);
  report::KeyFigures shown;
  shown.figures.push_back({"time of " + title, fmt::format("{:.2f} us", best->clock.microseconds),
                           fmt::format("{} cycles", best->clock.cycles)});
  if (each.ladder.versions.size() > 1)
    shown.figures.push_back(
        {"against v0",
         timesText(first->clock.microseconds / best->clock.microseconds) + " times as fast",
         fmt::format("{:.2f} us before", first->clock.microseconds)});
  shown.figures.push_back(
      {"of the bound", percent(shareOfBound(*best)),
       fmt::format("{}, {:.2f} us", best->roof.isBoundByCompute() ? "compute" : "memory",
                   best->roof.microseconds())});
  shown.figures.push_back(
      {"rate", withUnit(1e6 * best->roof.operations / best->clock.microseconds, "FLOP/s"),
       fmt::format("of {}", withUnit(best->roof.peakOperations, "FLOP/s"))});
  article.add(std::move(shown));
}

/// What a kept result says of the correctness of a variant at a case.
std::string checkOf(const KernelReport &report, const ReportCase &each) {
  const std::string &variant = each.ladder.best().variant;
  for (const auto &[file, tune] : report.kept.tunes)
    if (report.isAbout(tune.dims, each.run))
      for (const auto *list : {&tune.variants, &tune.failed})
        for (const SavedVariant &seen : *list)
          if (seen.variant == variant && seen.passed)
            return *seen.passed ? "passed" : "failed";
  for (const auto &[file, run] : report.kept.runs)
    if (report.isAbout(run.dims, each.run) && run.side.variant == variant && run.figures.passed)
      return *run.figures.passed ? "passed" : "failed";
  return "not kept";
}

void addCases(const KernelReport &report, report::Article &article) {
  report::Grid grid = {{"case", "dimensions", "v0, us", "best, us", "times as fast", "of the bound",
                        "bound by", "check of the best"},
                       "<<>>>><<",
                       {}};
  for (const ReportCase &each : report.cases) {
    const tune::Diagnosis *first = each.first(), *best = each.best();
    std::vector<std::string> row = {report.titleOf(each.run), report.dimsOf(each.run)};
    if (best)
      row.insert(row.end(), {fmt::format("{:.2f}", first->clock.microseconds),
                             fmt::format("{:.2f}", best->clock.microseconds),
                             timesText(first->clock.microseconds / best->clock.microseconds),
                             percent(shareOfBound(*best)),
                             best->roof.isBoundByCompute() ? "compute" : "memory"});
    else
      row.insert(row.end(), {"-", "-", "-", "-", "-"});
    row.push_back(checkOf(report, each));
    grid.rows.push_back(std::move(row));
  }
  article.add(std::move(grid));
}

/// The part of a source before its remark: "ADK, derived, conflict".
std::string wordsOf(const std::string &source) { return source.substr(0, source.find(':')); }

void addMachine(const KernelReport &report, report::Article &article) {
  const Machine &machine = *report.machine;
  article.heading(3, "The machine");
  article.paragraph(fmt::format("`{}`: {}.", machine.name, machine.description));
  size_t figures = 0;
  for (const auto &[path, source] : machine.sources)
    figures += !source.empty();
  article.paragraph(fmt::format(
      "A figure of the report is as good as the description of the machine. The description has {} "
      "figures with a source; `mmk machines {}` shows each.",
      figures, report.target.machine.value_or(machine.name)));
  report::Grid grid = {
      {"source", "figures", "what it stands for"}, "<><", {}, "The sources of its figures"};
  for (const auto &[word, meaning] : machine.legend) {
    size_t count = 0;
    for (const auto &[path, source] : machine.sources) {
      llvm::SmallVector<llvm::StringRef> words;
      const std::string head = wordsOf(source);
      llvm::StringRef(head).split(words, ", ");
      count += std::ranges::find(words, llvm::StringRef(word)) != words.end();
    }
    if (count > 0)
      grid.rows.push_back({word, std::to_string(count), meaning});
  }
  article.add(std::move(grid));
  for (const auto &[path, value] : changedFigures(machine))
    article.note(fmt::format("`{}` was changed on the command line, to {}.", path, value));
}

} // namespace

void addSummary(const KernelReport &report, report::Article &article) {
  article.heading(2, "Summary");
  addKeyFigures(report, article);
  addCases(report, article);
  if (!report.cases.front().best())
    article.note(fmt::format("{} has no clock but the real one, so that nothing is counted: times "
                             "are those of kept results, below.",
                             report.machine->name));
}

void addMethod(const KernelReport &report, report::Article &article) {
  article.heading(2, "Method");
  report::Bullets bullets;
  bullets.texts.push_back(fmt::format(
      "Every version is a variant of one file, `{}`, made by mmk from its schedule; the text after "
      "`--variant` repeats it. The body of the kernel, which alone decides the results, is the "
      "same.",
      report.file->path()));
  if (report.cases.front().best()) {
    bullets.texts.push_back("Cycles are counted now, from the program that each core executes, and "
                            "are the same on every "
                            "computer. They are of a warm kernel alone, without its launch.");
    bullets.texts.push_back(
        "The bound is the least time that the roofline allows: the operations at the rate of all "
        "cores, or every tensor once at the rate of HBM, whichever is longer.");
    bullets.texts.push_back(
        "What limits a version: the pipes with most of its critical path, whose instructions each "
        "start when the one before is done, and the cores that wait for the slowest. `mmk explain` "
        "shows more.");
  }
  bullets.texts.push_back(
      report.kept.files.empty()
          ? "Times on a computer are taken from kept results alone; none were given."
          : fmt::format("Times on a computer are taken from kept results alone, each with the "
                        "environment that it was measured in: `{}`.",
                        fmt::join(report.kept.files, "`, `")));
  for (const std::string &skipped : report.kept.skipped)
    bullets.texts.push_back("Not used: " + skipped + ".");
  article.add(std::move(bullets));
}

void addEnvironment(const KernelReport &report, report::Article &article) {
  article.heading(2, "Environment");
  article.paragraph("The report was made here; what was counted does not depend on it.");
  report::Grid grid = {{"", ""}, "<<", {{"date", report.time}}};
  for (const auto &[field, value] : fingerprint(/*threads=*/1))
    if (field != "threads")
      grid.rows.push_back({field, value});
  for (const auto &[field, value] : systemDetails())
    grid.rows.push_back({field, value});
  article.add(std::move(grid));
  addMachine(report, article);
}

} // namespace mmk::driver
