// `mmk tune`: searches the variants of a kernel at each of its cases.
#include "cli/environment.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "driver/chosen_variants.h"
#include "driver/command.h"
#include "driver/count_case.h"
#include "driver/footprint.h"
#include "driver/guided_tune.h"
#include "driver/known_variants.h"
#include "driver/profile.h"
#include "driver/session.h"
#include "driver/tune_options.h"
#include "driver/tune_page.h"
#include "print/run_report.h"
#include "print/tune_report.h"
#include "runtime/traffic.h"
#include "tune/mpi_team.h"
#include "tune/mpi_transport.h"
#include "tune/value_grid.h"

#include <csignal>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// Set by Ctrl-C, once; a second one ends the process.
std::atomic<bool> isInterrupted = false;

void stopOnInterrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { isInterrupted = true; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

std::string timeLeft(double seconds) {
  if (seconds < 1)
    return "";
  if (seconds < 100)
    return fmt::format(", {:.0f} s left", seconds);
  return fmt::format(", {:.0f} min left", seconds / 60);
}

std::string progressBar(const tune::TuneProgress &at) {
  constexpr int64_t width = 24;
  const int64_t full = at.all > 0 ? std::min(width, width * at.done / at.all) : 0;
  std::string text = fmt::format("[{}{}] {}: {} of {}", std::string(full, '#'),
                                 std::string(width - full, '.'), at.doing, at.done, at.all);
  if (at.bestMicroseconds > 0)
    text += fmt::format(", best {:.2f} us", at.bestMicroseconds);
  return text + timeLeft(at.secondsLeft);
}

/// Shows at most a few lines a second: a terminal is slower than the search.
class Bar {
public:
  void show(const tune::TuneProgress &at) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(100))
      return;
    shown_ = now;
    progress_.show(progressBar(at));
  }
  void clear() { progress_.clear(); }

private:
  Progress progress_;
  std::chrono::steady_clock::time_point shown_{};
};

/// The failures, each with the command that reproduces it. A schedule never changes the results, so
/// each is a bug in mmk.
std::string failures(const Target &target, const tune::TuneResult &result) {
  std::string text;
  for (const tune::CaseResult &each : result.cases)
    for (const tune::VariantResult &variant : each.failed) {
      const std::string on = variant.check.data;
      text += on.empty() ? fmt::format("error: {} cannot be run\n", variant.variant)
                         : fmt::format("error: {} computes wrong results on {}: {:.3g} of them\n",
                                       variant.variant, on, variant.check.errorRatio);
      std::string line = fmt::format("mmk run {} --kernel {}", target.file, result.kernel);
      if (each.name.empty())
        for (const auto &[name, value] : each.dims)
          line += fmt::format(" {}={}", name, value);
      else
        line += " --case " + each.name;
      if (target.machine)
        line += " --machine " + *target.machine;
      for (const std::string &set : target.machineSets)
        line += fmt::format(" --machine-set '{}'", set);
      line += fmt::format(" --variant '{}'", variant.variant);
      if (!on.empty())
        line += " --data " + on;
      text += fmt::format("note: this is a bug in mmk; reproduce it with: {}\n", line);
    }
  return text;
}

/// Each of the N best of each case is counted again, with its events kept.
void writeProfiles(Session &session, const tune::TuneResult &result,
                   const std::vector<RunCase> &runs, const TuneCommandOptions &options) {
  const Kernel &kernel = session.kernel();
  Progress progress;
  for (size_t i = 0; i < result.cases.size(); ++i) {
    const auto &variants = result.cases[i].variants;
    for (size_t rank = 0; rank < std::min<size_t>(options.profiles, variants.size()); ++rank) {
      Session chosen = session.choosing(variants[rank].variant);
      Lowering lowering = chosen.lower(kernel, LoweringLevel::aicore);
      const RunHeader header{&kernel, &chosen.machine(), lowering.variant,
                             memoryUse(lowering.kernel()), chosen.program().file.get()};
      const std::string name = runs[i].name.empty() ? "dims" : runs[i].name;
      Profile profile(fmt::format("{}/{}-{}", *options.report, name, rank + 1), chosen, header,
                      /*cases=*/1);
      CaseReport report;
      report.run = runs[i];
      Recorder recorder = Profile::recorder();
      TrafficMeter traffic(&recorder);
      report.clock = countCase(lowering, chosen.machine(), kernel, runs[i], &traffic);
      profile.add(report, recorder, traffic.report(), progress);
      profile.finish();
    }
  }
}

void writeFiles(Session &session, const tune::TuneResult &result, const std::vector<RunCase> &runs,
                const TuneCommandOptions &options) {
  if (options.report) {
    makeFolder(*options.report);
    writeFile(*options.report + "/summary.csv", summaryTable(result));
    writeFile(*options.report + "/summary.md", summaryPage(result));
    if (backendOf(session.machine().kind).hasClock())
      writeFile(*options.report + "/report.html", pageOf(session, result, runs));
    writeProfiles(session, result, runs, options);
  }
  if (options.json)
    writeFile(*options.json,
              jsonArray(result.cases, [&](llvm::json::OStream &out, const tune::CaseResult &each) {
                write(out, result, each);
                writeEnvironment(out, session.machine(), fingerprint(options.threads));
              }));
}

/// An empty space: reports why the variant of the command line is not legal.
void expectAny(Session &session, const tune::TuneResult &result) {
  const bool hasAny = std::ranges::any_of(
      result.cases, [](const tune::CaseResult &each) { return !each.variants.empty(); });
  if (hasAny || isInterrupted)
    return;
  session.lower(session.kernel(), LoweringLevel::aicore); // mostly throws the error
  throw UserError("none of these variants is legal at these dimensions");
}

/// The variant that each case runs as without a search: all of its choices.
std::vector<Choices> startsOf(Session &session, const Kernel &kernel,
                              const std::vector<RunCase> &runs, bool remembers) {
  std::vector<Choices> starts;
  for (const RunCase &run : runs) {
    Choices choices = unitsOf(session, kernel, run);
    if (backendOf(session.machine().kind).hasClock()) {
      const auto chosen = chooseVariant(session, kernel, run, remembers);
      if (!chosen)
        return {};
      choices = chosen->choices;
    }
    Lowering lowering = session.tryLower(kernel, choices, LoweringLevel::mmk);
    if (!lowering)
      return {};
    starts.push_back(lowering.choices);
  }
  return starts;
}

/// The dimensions that all cases leave out, as mmk run does.
Choices unitsOfAll(Session &session, const Kernel &kernel, const std::vector<RunCase> &runs) {
  Choices units = unitsOf(session, kernel, runs.front());
  for (const RunCase &run : llvm::drop_begin(runs)) {
    const Choices others = unitsOf(session, kernel, run);
    llvm::erase_if(units, [&](const auto &unit) { return !llvm::is_contained(others, unit); });
  }
  return units;
}

std::vector<tune::Dims> dimsOf(const std::vector<tune::RunShape> &shapes) {
  std::vector<tune::Dims> dims;
  for (const tune::RunShape &shape : shapes)
    dims.push_back(shape.dims);
  return dims;
}

/// Whether variants are from all that may be legal: drawn ones, and those of a quick search for the
/// least time.
bool isOfWhole(const tune::TuneOptions &options, const Machine &machine) {
  return options.effort == tune::Effort::random ||
         (options.effort == tune::Effort::quick && options.objective.isBestTime() &&
          options.check != tune::CheckMode::all && backendOf(machine.kind).hasClock());
}

/// Opens all directives but those that the user names.
void openWhole(tune::SpaceOptions &space, const Kernel &kernel, const Machine &machine,
               const std::vector<tune::RunShape> &shapes) {
  tune::Dims longest = shapes.front().dims;
  for (const tune::RunShape &shape : shapes)
    for (size_t i = 0; i < longest.size(); ++i)
      longest[i] = std::max(longest[i], shape.dims[i]);
  for (auto &[key, words] : tune::wholeGrid(kernel, machine, longest))
    if (!llvm::is_contained(llvm::make_first_range(space.swept), key))
      space.opened.emplace_back(key, std::move(words));
}

/// Null when this process is alone.
const tune::MpiTransport *startMpi(const TuneCommandOptions &options) {
  auto mpi = tune::startMpi();
  if (!mpi)
    throw UserError(llvm::toString(mpi.takeError()));
  if (*mpi && options.rounds)
    throw UserError("--guided counts too little to be shared: run it without mpirun");
  return *mpi;
}

void checkFiles(const TuneCommandOptions &options) {
  if (options.json)
    expectWritable(*options.json);
  if (options.report)
    makeFolder(*options.report);
}

} // namespace

int tuneCommand(const std::vector<std::string> &words) {
  Target target;
  TuneCommandOptions options;
  CommandLine commandLine("tune");
  target.addOptionsTo(commandLine);
  options.addOptionsTo(commandLine);
  const std::vector<std::string> arguments = target.takeFile(commandLine.parse(words), "tune");
  options.read();

  Session session(target);
  const Kernel &kernel = session.kernel();
  const Machine &machine = session.machine();
  const std::vector<RunCase> runs = casesToRun(kernel, options.cases, arguments);
  expectLaunch(runs, "mmk tune");
  for (const RunCase &run : runs)
    if (options.tune.check == tune::CheckMode::none && backendOf(machine.kind).hasClock())
      expectSizes(kernel, run);
    else
      expectRoomFor(kernel, run, /*withReference=*/true);
  if (options.profiles > 0)
    session.expectClock("--profiles");
  const tune::MpiTransport *mpi = startMpi(options);
  if (mpi && mpi->rank > 0) {
    tune::serveMpi(*mpi, *tune::threadTeam(session.program(), kernel, machine, options.threads));
    return success;
  }
  checkFiles(options);

  tune::Verifier verifier(session.program(), kernel, machine, options.threads,
                          options.noCache ? "" : cacheDirectory());
  if (options.rounds) {
    const std::string folder = options.report ? *options.report + "/" : "";
    return tuneGuided(
        session, runs, verifier,
        {*options.rounds, folder + "optimization_log.md", commandOf("tune", words), options.json});
  }
  options.space.fixed = session.fixedChoices(kernel);
  llvm::append_range(options.space.fixed, unitsOfAll(session, kernel, runs));
  // An author's schedule is its own space: what it leaves open keeps the machine's default there.
  const bool isOpen = options.space.explores || !kernel.scheduleFor(machine.name);
  if (isOpen)
    options.space.starts = startsOf(session, kernel, runs, !options.noCache);
  const std::vector<tune::RunShape> shapes = runShapes(kernel, runs);
  if (isOpen && isOfWhole(options.tune, machine))
    openWhole(options.space, kernel, machine, shapes);
  auto space = tune::Space::make(kernel, machine, options.space);
  if (!space)
    throw UserError(llvm::toString(space.takeError()));
  tune::Known known(shapes.size());
  const std::unique_ptr<tune::Store> store =
      options.noCache ? nullptr : openMemory(kernel, machine, shapes, known);
  const tune::Floors floors(session.program(), kernel, machine, *space, dimsOf(shapes));
  auto team = tune::threadTeam(session.program(), kernel, machine, options.threads);
  if (mpi)
    team = tune::mpiTeam(*mpi, std::move(team));
  tune::Tuner tuner(kernel, machine, *space, shapes, options.tune, known, store.get(), floors,
                    *team, verifier, isInterrupted);
  stopOnInterrupt();
  Bar bar;
  const tune::TuneResult result = tuner.run([&](const tune::TuneProgress &at) { bar.show(at); });
  bar.clear();
  if (!tuner.storeError().empty())
    printError(fmt::format("warning: not all of this is remembered: {}\n", tuner.storeError()));
  if (options.json.value_or("") != "-")
    print(text(result));
  writeFiles(session, result, runs, options);
  if (!tuner.bugs().empty())
    throw Bug(fmt::format("{}", fmt::join(tuner.bugs(), "\n")));
  const std::string failed = failures(target, result);
  printError(failed);
  if (failed.empty())
    expectAny(session, result);
  return failed.empty() ? success : wrongResult;
}

} // namespace mmk::driver
