// `mmk bench`: careful timing of a kernel and of the whole command, and the comparison with an
// earlier measurement.
#include "driver/command.h"
#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "cli/option_values.h"
#include "cli/stopwatch.h"
#include "driver/bench/against.h"
#include "driver/bench/history.h"
#include "driver/case_runner.h"
#include "driver/count_case.h"
#include "driver/footprint.h"
#include "driver/session.h"
#include "print/bench_report.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

struct BenchOptions {
  RunOptions run; ///< only the options of `bench` are set
  SamplingLimits limits;
  std::optional<std::string> save, against, history, json;
  double threshold = 0.05;
  bool isForced = false, noCommand = false, updatesThresholds = false;

  void addOptionsTo(CommandLine &commandLine) {
    commandLine.repeated("--case", "NAME", run.cases);
    commandLine.option("--warmup", "N", warmupText_);
    commandLine.option("--repeat", "N", repeatText_);
    commandLine.option("--seconds", "S", secondsText_);
    commandLine.option("--deviation", "PERCENT", deviationText_);
    commandLine.option("--threads", "N", threadsText_);
    commandLine.flag("--no-check", run.noCheck);
    commandLine.flag("--no-command", noCommand);
    commandLine.flag("--count-only", run.countOnly);
    commandLine.option("--save", "FILE", save);
    commandLine.option("--against", "FILE", against);
    commandLine.option("--threshold", "PERCENT", thresholdText_);
    commandLine.flag("--force", isForced);
    commandLine.option("--history", "DIR", history);
    commandLine.flag("--update-thresholds", updatesThresholds);
    commandLine.option("--json", "FILE", json);
  }

  void read() {
    limits.warmup = warmupFrom(warmupText_, limits.warmup);
    limits.most = repeatFrom(repeatText_, limits.most);
    if (secondsText_)
      limits.seconds = number("--seconds", *secondsText_, 86400);
    if (deviationText_)
      limits.deviation = number("--deviation", *deviationText_, 100000) / 100;
    if (thresholdText_)
      threshold = number("--threshold", *thresholdText_, 1000) / 100;
    run.threads = threadsFrom(threadsText_);
    const char *comparing =
        firstGiven({{thresholdText_.has_value(), "--threshold"}, {isForced, "--force"}});
    if (comparing && !against)
      throw UserError(fmt::format("{} is about a comparison: --against FILE", comparing));
    if (updatesThresholds && !history)
      throw UserError("--update-thresholds is about kept results: --history DIR");
    const char *measuring = firstGiven({{warmupText_.has_value(), "--warmup"},
                                        {repeatText_.has_value(), "--repeat"},
                                        {secondsText_.has_value(), "--seconds"},
                                        {deviationText_.has_value(), "--deviation"},
                                        {threadsText_.has_value(), "--threads"}});
    if (run.countOnly && measuring)
      throw UserError(
          fmt::format("--count-only measures nothing, so {} has no meaning", measuring));
    for (const auto &file : {save, json})
      if (file)
        expectWritable(*file);
  }

private:
  /// Above 0.
  static double number(const std::string &option, const std::string &text, double most) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > most)
      throw UserError(fmt::format("{} is a number above 0 and up to {}, found {}", option, most,
                                  text.empty() ? "nothing" : text));
    return value;
  }

  std::optional<std::string> warmupText_, repeatText_, secondsText_, deviationText_, threadsText_,
      thresholdText_;
};

/// The command line of a `mmk run` that does once what is measured here.
std::vector<std::string> commandFor(const Target &target, const BenchOptions &options,
                                    const RunCase &run, const std::vector<std::string> &arguments) {
  std::vector<std::string> words = {"run", target.file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto add = [&](const char *option, const std::optional<std::string> &value) {
    if (value)
      words.insert(words.end(), {option, *value});
  };
  add("--kernel", target.kernel);
  add("--machine", target.machine);
  add("--variant", target.variant);
  for (const std::string &set : target.machineSets)
    add("--machine-set", set);
  for (const std::string &set : target.sets)
    add("--set", set);
  if (!run.name.empty())
    add("--case", run.name);
  if (options.run.countOnly)
    words.push_back("--count-only");
  else
    words.insert(words.end(), {"--no-check", "--threads", std::to_string(options.run.threads)});
  return words;
}

/// Milliseconds from the start of the process to its end.
double timeOfCommand(const std::vector<std::string> &words) {
  static const std::string program = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(reinterpret_cast<intptr_t>(&timeOfCommand)));
  std::vector<llvm::StringRef> all = {program};
  all.insert(all.end(), words.begin(), words.end());
  const std::optional<llvm::StringRef> nowhere = llvm::StringRef();
  std::string message;
  const Stopwatch stopwatch;
  const int code = llvm::sys::ExecuteAndWait(program, all, std::nullopt,
                                             {nowhere, nowhere, nowhere}, 0, 0, &message);
  const double time = stopwatch.milliseconds();
  if (code != success)
    throw Bug(fmt::format("the measured command ended with {} {}", code, message));
  return time;
}

class Bench {
public:
  Bench(Session &session, const Target &target, const BenchOptions &options,
        const std::vector<std::string> &arguments)
      : session_(session), target_(target), options_(options), arguments_(arguments),
        kernel_(session.kernel()), lowering_(session.lower(kernel_, LoweringLevel::aicore)) {
    report_ = {kernel_.name,
               session.machine().name,
               lowering_.variant,
               target.machineSets,
               kernel_.shownDimensions(),
               fingerprint(options.run.threads),
               {}};
  }

  /// The environment, and the cases that have been measured.
  const BenchReport &report() const { return report_; }

  void measure(const std::vector<RunCase> &runs) {
    std::unique_ptr<Executable> executable;
    std::optional<CaseRunner> runner;
    if (!options_.run.countOnly) {
      ExecutableOptions options;
      options.cacheDirectory = cacheDirectory();
      auto compiled = Executable::compile(*lowering_.module, session_.machine(), options);
      if (!compiled)
        throw Bug(llvm::toString(compiled.takeError()));
      executable = std::move(*compiled);
      report_.constants = constantLayouts(lowering_.kernel(), executable->packedOperands());
      runner.emplace(kernel_, options_.run, *executable, lowering_.kernel(), session_.machine());
    }
    for (const RunCase &run : runs)
      measure(run, runner ? &*runner : nullptr);
  }

private:
  void measure(const RunCase &run, CaseRunner *runner) {
    expectWithinLimits(lowering_, kernel_, run);
    BenchCase &measured = report_.cases.emplace_back();
    measured.name = run.name;
    measured.dims = run.dims;
    measured.operations = floatingPointOperations(kernel_, run);
    if (backendOf(session_.machine().kind).hasClock()) {
      const ClockReport clock = countCase(lowering_, session_.machine(), kernel_, run);
      measured.cycles = clock.cycles;
      measured.microseconds = clock.microseconds;
    }
    if (!runner)
      return;
    runner->prepare(run);
    if (!options_.run.noCheck) {
      progress_.show(run.title() + ": check");
      runner->poison();
      runner->runOnce();
      const CheckReport check = runner->check();
      measured.passed = check.passed;
      if (!check.passed) {
        const bool hasWrong = check.wrong > 0;
        measured.notes.push_back(fmt::format(
            "{} of {} {} are wrong, so nothing was timed; mmk run shows which",
            hasWrong ? check.wrong : check.unexplained, hasWrong ? check.elements : check.sampled,
            hasWrong ? "elements" : "sampled elements"));
        return;
      }
    }
    measured.kernel = sample(
        options_.limits, [&] { return runner->runOnce(); },
        [&](size_t count) { show(run, "kernel", count); });
    if (options_.noCommand)
      return;
    const std::vector<std::string> words = commandFor(target_, options_, run, arguments_);
    measured.command = sample(
        options_.limits, [&] { return timeOfCommand(words); },
        [&](size_t count) { show(run, "command", count); });
  }

  /// Updates rarely: writing to a terminal takes longer than a small kernel.
  void show(const RunCase &run, const std::string &what, size_t count) {
    if (lastShown_.milliseconds() < 100)
      return;
    lastShown_ = Stopwatch();
    progress_.show(fmt::format("{}: {}: {} samples", run.title(), what, count));
  }

  Session &session_;
  const Target &target_;
  const BenchOptions &options_;
  const std::vector<std::string> &arguments_;
  const Kernel &kernel_;
  Lowering lowering_;
  BenchReport report_;
  Progress progress_;
  Stopwatch lastShown_;
};

} // namespace

int benchCommand(const std::vector<std::string> &words) {
  Target target;
  BenchOptions options;
  CommandLine commandLine("bench");
  target.addOptionsTo(commandLine);
  options.addOptionsTo(commandLine);
  const std::vector<std::string> arguments = target.takeFile(commandLine.parse(words), "bench");
  options.read();
  if (target.file == "-" && !options.noCommand && !options.run.countOnly)
    throw UserError(
        "the whole command is measured by starting it again, which standard input allows "
        "once; name a file, or add --no-command");

  Session session(target);
  if (options.run.countOnly)
    session.expectClock("--count-only");
  const std::vector<RunCase> runs = casesToRun(session.kernel(), options.run.cases, arguments);
  expectLaunch(runs, "mmk bench");
  for (const RunCase &run : runs)
    if (options.run.countOnly)
      expectSizes(session.kernel(), run);
    else
      expectRoomFor(session.kernel(), run, !options.run.noCheck);
  Bench bench(session, target, options, arguments);
  // A baseline that cannot be compared is refused before the measurement.
  std::optional<Baseline> baseline;
  if (options.against)
    baseline =
        readBaseline(*options.against, bench.report(), !options.run.countOnly, options.isForced);

  // So is a folder that holds something else.
  std::optional<History> history;
  if (options.history)
    history.emplace(*options.history);

  bench.measure(runs);
  const BenchReport &report = bench.report();
  if (options.save)
    writeFile(*options.save, json(report));
  const bool showsText = options.json.value_or("") != "-";
  if (showsText)
    print(text(report));
  if (options.json)
    writeFile(*options.json, json(report));
  bool isWrong = false;
  for (const BenchCase &each : report.cases)
    isWrong |= !each.passed.value_or(true);
  if (baseline) {
    const BenchComparison comparison = compare(report, *baseline, options.threshold);
    if (showsText)
      print(text(comparison));
    isWrong |= comparison.hasSlowDown();
  }
  if (history) {
    const std::vector<HistoryVerdict> verdicts = history->add(report, options.updatesThresholds);
    history->write();
    if (showsText)
      print(text(*options.history, verdicts));
    isWrong |= std::ranges::any_of(verdicts, [](const HistoryVerdict &each) {
      return each.kind == HistoryVerdict::Kind::slower;
    });
  }
  return isWrong ? wrongResult : success;
}

} // namespace mmk::driver
