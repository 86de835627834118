// `mmk report`: one document about a kernel, from what earlier commands have kept and from what is
// counted now.
#include "driver/command.h"

#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "driver/chosen_variants.h"
#include "driver/count_case.h"
#include "driver/footprint.h"
#include "driver/guided_tune.h"
#include "driver/report/kernel_report.h"
#include "driver/try_changes.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

struct Best {
  Choices choices;
  std::string from;
  std::string file, variant; ///< of the search, and as it names it
  bool isSearched = false;
};

/// The variant of `--variant`, the fastest right one that a kept search found for the case, or the
/// one that mmk chooses.
Best bestOf(Session &session, const std::optional<std::string> &fixed, const RunCase &run,
            const KernelReport &report) {
  Best best;
  double least = 0;
  const auto consider = [&](const std::string &file, const SavedSearchCase &search,
                            const SavedVariant &variant) {
    if (!report.isAbout(search.dims, run))
      return;
    best.isSearched = true;
    if (least > 0 && variant.microseconds >= least)
      return;
    least = variant.microseconds;
    best.variant = variant.variant;
    best.from = fmt::format("the best variant of `{}`", file);
    best.file = file;
  };
  for (const auto &[file, tune] : report.kept.tunes)
    if (tune.best && tune.best->passed.value_or(true))
      consider(file, tune, *tune.best);
  for (const auto &[file, guided] : report.kept.guided)
    consider(file, guided, guided.last);
  if (fixed) {
    best.choices = session.choicesOf(*report.kernel, "--variant", *fixed);
    best.from = "`--variant`";
    best.file.clear();
  } else if (!best.isSearched) {
    const auto chosen = chooseVariant(session, *report.kernel, run, /*remembers=*/true);
    const bool isDefault = !chosen || chosen->choices.empty();
    best.choices =
        isDefault ? session.lower(*report.kernel, LoweringLevel::aicore).choices : chosen->choices;
    best.from =
        isDefault ? "the default of the schedule" : "the variant that mmk chooses for this shape";
  }
  return best;
}

/// A kept search may be of another text of the kernel, or of another version of mmk.
void expectLegal(Session &session, const RunCase &run, Best &best, const KernelReport &report) {
  const Kernel &kernel = session.kernel();
  best.choices = session.tryChoicesOf(kernel, best.variant).value_or(Choices());
  Lowering lowering = best.choices.empty() ? Lowering() : session.tryLower(kernel, best.choices);
  if (!lowering || !limitProblem(lowering, kernel, run).empty())
    throw UserError(fmt::format("{}: its best variant is no longer legal: '{}'; search again: {} "
                                "--json {}",
                                best.file, best.variant, report.commandFor("tune", &run),
                                best.file));
}

ReportCase caseOf(Session &session, const RunCase &run, const Best &best, Progress &progress) {
  const Kernel &kernel = session.kernel();
  ReportCase made = {run,
                     ladderOf(session, run, best.choices, best.from, progress),
                     best.from,
                     best.isSearched,
                     {}};
  if (made.best()) {
    Session chosen(session, session.withoutChoices(), made.ladder.best().choices);
    made.changes = tryChanges(chosen, kernel, run, made.best()->clock.cycles, progress);
  }
  return made;
}

ReportSubject subjectOf(const Session &session, const Target &target,
                        const std::vector<RunCase> &runs, const KernelReport &report) {
  ReportSubject subject = {report.kernel->name, &session.machine(), target.machineSets, {}, {}, {}};
  for (const RunCase &run : runs) {
    std::map<std::string, int64_t> &shape = subject.shapes.emplace_back();
    for (const std::string &name : report.kernel->shownDimensions())
      shape[name] = run.dims.at(name);
    subject.titles.push_back(report.titleOf(run));
  }
  for (const auto &kernel : session.program().kernels)
    subject.kernels.push_back(kernel->name);
  return subject;
}

void writeDocument(const std::string &folder, const KernelReport &report) {
  const report::Article article = articleOf(report);
  const std::string path = folder + (folder.ends_with('/') ? "" : "/");
  const std::string name = path + report.kernel->name;
  for (const report::Block &block : article.blocks)
    if (const auto *picture = std::get_if<report::Picture>(&block))
      writeFile(path + picture->name, report::standalone(*picture));
  writeFile(name + ".md", report::markdownOf(article));
  writeFile(name + ".html", report::htmlOf(article));
  print(fmt::format("report: {0}.html, {0}.md\n", name));
}

} // namespace

int reportCommand(const std::vector<std::string> &words) {
  Target target;
  std::vector<std::string> cases, from;
  std::optional<std::string> folder;
  CommandLine commandLine("report");
  target.addOptionsTo(commandLine);
  commandLine.repeated("--case", "NAME", cases);
  commandLine.repeated("--from", "FILE|DIR", from);
  commandLine.option("--output", "DIR", folder);
  commandLine.shortName("-o", "--output");
  const std::vector<std::string> arguments = target.takeFile(commandLine.parse(words), "report");

  const std::optional<std::string> fixed = std::exchange(target.variant, std::nullopt);
  Session session(target);
  const std::vector<RunCase> runs = casesToRun(session.kernel(), cases, arguments);
  expectLaunch(runs, "mmk report");
  for (const RunCase &run : runs)
    expectSizes(session.kernel(), run);
  KernelReport report;
  report.kernel = &session.kernel();
  report.machine = &session.machine();
  report.file = session.program().file.get();
  report.target = target;
  report.command = commandOf("report", words);
  report.time = timeNow();
  report.kept = readKept(from, subjectOf(session, target, runs, report));
  makeFolder(folder.value_or("."));

  Progress progress;
  for (const RunCase &run : runs) {
    Best best = bestOf(session, fixed, run, report);
    if (!best.file.empty())
      expectLegal(session, run, best, report);
    report.cases.push_back(caseOf(session, run, best, progress));
  }
  progress.clear();
  writeDocument(folder.value_or("."), report);
  return success;
}

} // namespace mmk::driver
