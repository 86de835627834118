// `mmk run`: compiles a kernel once, then runs, checks and times each of its cases.
#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/stopwatch.h"
#include "driver/case_runner.h"
#include "driver/chosen_variants.h"
#include "driver/command.h"
#include "driver/count_case.h"
#include "driver/footprint.h"
#include "driver/profile.h"
#include "driver/session.h"

#include <fmt/format.h>
#include <list>

namespace mmk::driver {
namespace {

std::unique_ptr<Executable> compileOrFail(const Lowering &lowering, const Machine &machine,
                                          const RunOptions &runOptions) {
  ExecutableOptions options;
  options.cacheDirectory = runOptions.noCache ? "" : cacheDirectory();
  options.watched = runOptions.watch;
  auto executable = Executable::compile(*lowering.module, machine, options);
  if (!executable)
    throw Bug(llvm::toString(executable.takeError()));
  return std::move(*executable);
}

/// A case that has run, and the data that cases of the same variant share. The header points into
/// the session that ran it, which has to outlive it.
struct Ran {
  std::shared_ptr<RunHeader> header;
  CaseReport report;
};

/// Compiles one variant and runs it at these cases; appends to `all`. Returns whether all results
/// are right.
bool runCases(Session &session, const RunOptions &options, const std::vector<RunCase> &runs,
              const CaseVariant &variant, const std::string &profileFolder, std::vector<Ran> &all) {
  const Kernel &kernel = session.kernel();
  const Machine &machine = session.machine();
  const bool counts = backendOf(machine.kind).hasClock(), computes = !options.countOnly;

  Progress progress;
  progress.show("compile");
  const Stopwatch watch;
  Lowering lowering = session.lower(kernel, LoweringLevel::aicore);
  const double loweringMs = watch.milliseconds();
  for (const RunCase &run : runs)
    expectWithinLimits(lowering, kernel, run);
  const auto header = std::make_shared<RunHeader>(
      RunHeader{&kernel, &machine, lowering.variant, memoryUse(lowering.kernel()),
                session.program().file.get(),
                counts ? std::optional(placedFlags(lowering.kernel())) : std::nullopt,
                variant.known.tunedFor, variant.reasons, variant.known.uncheckedUs,
                /*timing=*/nullptr});
  std::optional<Profile> profile;
  if (options.profile)
    profile.emplace(profileFolder, session, *header, runs.size());
  std::unique_ptr<Executable> executable;
  std::optional<CaseRunner> runner;
  if (computes) {
    executable = compileOrFail(lowering, machine, options);
    executable->compileMs += loweringMs;
    runner.emplace(kernel, options, *executable, lowering.kernel(), machine);
    runner->readInputs(runs);
  }
  header->constants =
      constantLayouts(lowering.kernel(),
                      executable ? executable->packedOperands() : llvm::ArrayRef<PackedOperand>());

  const bool showsTable = options.json.value_or("") != "-";
  const RunTable table(*header, runs, options);
  progress.clear();
  if (showsTable)
    table.printHead();
  std::vector<CaseReport> reports;
  bool passed = true;
  for (const RunCase &run : runs) {
    CaseReport &report = reports.emplace_back();
    report.run = run;
    const TimedScope timed(timedAs(kernel, run));
    if (runner)
      runner->run(report, progress);
    progress.show(run.title() + ": clock");
    if (counts) {
      Recorder recorder = Profile::recorder();
      TrafficMeter traffic(&recorder);
      const std::vector<const int32_t *> elements =
          runner ? runner->knownElements() : std::vector<const int32_t *>();
      report.clock =
          countCase(lowering, machine, kernel, run, profile ? &traffic : nullptr, elements);
      if (profile)
        profile->add(report, recorder, traffic.report(), progress);
    }
    passed &= report.passed();
    progress.clear();
    if (showsTable)
      table.printRow(report);
    if (readerIsGone() && !options.json && !profile)
      break;
  }
  if (showsTable)
    table.printNotes(reports);
  if (profile) {
    const std::string where = profile->finish();
    if (showsTable)
      print(where);
  }
  for (CaseReport &report : reports)
    all.push_back({header, std::move(report)});
  return passed;
}

/// Each case as its variant; neighbours with the same variant run together. Each variant has a
/// session of its own, appended to `sessions`.
bool runEach(Session &session, const Target &target, const RunOptions &options,
             const std::vector<RunCase> &runs, const std::vector<CaseVariant> &variants,
             std::list<Session> &sessions, std::vector<Ran> &all) {
  bool passed = true;
  for (size_t from = 0, to = 0; from < runs.size(); from = to) {
    CaseVariant variant = variants[from];
    for (to = from + 1; to < runs.size() && variants[to].isSameAs(variant); ++to)
      variant.reasons.insert(variant.reasons.end(), variants[to].reasons.begin(),
                             variants[to].reasons.end());
    std::string folder = options.profile.value_or("");
    if (from != 0 || to != runs.size()) // each variant has a profile of its own
      folder += "/" + runs[from].name;
    Session &chosen =
        variant.choices.empty() ? session : sessions.emplace_back(session, target, variant.choices);
    passed &=
        runCases(chosen, options, {runs.begin() + from, runs.begin() + to}, variant, folder, all);
  }
  return passed;
}

} // namespace

int runCommand(const std::vector<std::string> &words) {
  Target target;
  RunOptions options;
  CommandLine commandLine("run");
  target.addOptionsTo(commandLine);
  options.addOptionsTo(commandLine);
  std::vector<std::string> arguments = target.takeFile(commandLine.parse(words), "run");
  options.read();

  std::optional<Timing> timing;
  if (options.timing)
    timing.emplace();
  Session session(target);
  const Kernel &kernel = session.kernel();
  for (std::string &binding : dimensionsOfInputs(kernel, options.cases, arguments, options.inputs))
    arguments.push_back(std::move(binding));
  const std::vector<RunCase> runs = casesToRun(kernel, options.cases, arguments);
  options.checkAgainst(kernel, runs.size());
  for (const RunCase &run : runs)
    if (options.countOnly)
      expectSizes(kernel, run);
    else
      expectRoomFor(kernel, run, !options.noCheck);
  if (options.countOnly)
    session.expectClock("--count-only");
  if (options.profile) {
    session.expectClock("--profile");
    expectLaunch(runs, "--profile");
  }

  std::list<Session> sessions; // one for each remembered variant
  std::vector<Ran> all;
  const bool passed =
      runEach(session, target, options, runs,
              variantsOf(session, target, kernel, runs, !options.noCache), sessions, all);
  if (timing) {
    const Timing::Part &total = timing->total();
    for (Ran &ran : all)
      ran.header->timing = &total;
    if (options.json.value_or("") != "-")
      print("\n" + text(total));
  }
  if (options.json)
    writeFile(*options.json, jsonArray(all, [&](llvm::json::OStream &out, const Ran &ran) {
      write(out, *ran.header, ran.report);
    }));
  return passed ? success : wrongResult;
}

} // namespace mmk::driver
