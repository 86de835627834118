#include "driver/guided_tune.h"

#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "driver/count_case.h"
#include "driver/known_variants.h"
#include "print/run_report.h"
#include "tune/guided_tuner.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// Runs a variant; returns the fault of its results, or nothing.
std::string checked(tune::Verifier &verifier, const Choices &choices, const tune::RunShape &shape) {
  llvm::Expected<tune::Check> check = verifier.check(choices, shape);
  if (!check)
    throw Bug(llvm::toString(check.takeError()));
  if (check->state == tune::CheckState::passed)
    return "";
  return fmt::format("of the data '{}', a share of {:.3g} is wrong", check->data,
                     check->errorRatio);
}

/// The versions of a case, one a row.
void addRows(Table &table, const tune::TuningTrace &trace) {
  const auto row = [&](const std::string &version, const tune::Diagnosis &at,
                       const std::string &change) {
    const double first = trace.first.clock.microseconds, now = at.clock.microseconds;
    table.add({trace.name.empty() ? "-" : trace.name, version, std::to_string(at.clock.cycles),
               fmt::format("{:.2f}", now), fmt::format("{:+.1f} %", 100 * (now - first) / first),
               change});
  };
  row("v0", trace.first, "");
  int version = 0;
  for (const tune::Round &round : trace.rounds)
    if (round.after)
      row(round.isKept() ? fmt::format("v{}", ++version) : "dropped", *round.after,
          optionsOf(round.made->choices));
}

void writeFields(llvm::json::OStream &out, const tune::Diagnosis &at) {
  out.attribute("variant", at.variant);
  out.attribute("cycles", at.clock.cycles);
  writeNumber(out, "time_us", at.clock.microseconds);
  out.attribute("bound", llvm::StringRef(spelling(at.clock.bound)));
  out.attributeArray("bottlenecks", [&] {
    for (const tune::Symptom &symptom : at.symptoms)
      out.value(symptom.text);
  });
}

void writeFields(llvm::json::OStream &out, const tune::Round &round) {
  out.attributeObject("before", [&] { writeFields(out, round.before); });
  out.attribute("tried", static_cast<int64_t>(round.tried.size() + round.pairs));
  if (!round.after)
    return;
  out.attribute("change", optionsOf(round.made->choices));
  out.attributeObject("after", [&] { writeFields(out, *round.after); });
  out.attribute("kept", round.isKept());
  if (!round.failure.empty())
    out.attribute("failure", llvm::json::fixUTF8(round.failure));
}

std::string json(const Kernel &kernel, const Machine &machine,
                 const std::vector<tune::TuningTrace> &traces) {
  return jsonArray(traces, [&](llvm::json::OStream &out, const tune::TuningTrace &trace) {
    out.attribute("kernel", kernel.name);
    out.attribute("case", trace.name);
    writeDims(out, trace.dims);
    out.attribute("machine", machine.name);
    out.attributeObject("first", [&] { writeFields(out, trace.first); });
    if (!trace.firstFailure.empty())
      out.attribute("first_failure", llvm::json::fixUTF8(trace.firstFailure));
    out.attributeArray("rounds", [&] {
      for (const tune::Round &round : trace.rounds)
        out.object([&] { writeFields(out, round); });
    });
    out.attributeObject("last", [&] { writeFields(out, trace.last); });
    out.attribute("at_its_best", trace.isAtItsBest);
    writeEnvironment(out, machine, environment());
  });
}

bool hasFailed(const tune::TuningTrace &trace) {
  return !trace.firstFailure.empty() ||
         std::ranges::any_of(trace.rounds,
                             [](const tune::Round &round) { return !round.failure.empty(); });
}

} // namespace

int tuneGuided(Session &session, const std::vector<RunCase> &runs, tune::Verifier &verifier,
               const GuidedOptions &options) {
  const Kernel &kernel = session.kernel();
  const Machine &machine = session.machine();
  session.expectClock("--guided");
  expectWritable(options.log);
  // A first variant that is not legal is refused here, with the nearest legal one.
  Lowering first = session.lower(kernel, LoweringLevel::aicore);
  for (const RunCase &run : runs)
    expectWithinLimits(first, kernel, run);
  tune::GuidedTuner tuner(session.program(), kernel, machine,
                          {options.rounds, session.setChoices(kernel)});
  Progress progress;
  std::vector<tune::TuningTrace> traces;
  for (const tune::RunShape &shape : runShapes(kernel, runs)) {
    llvm::Expected<tune::TuningTrace> trace = tuner.run(
        first.choices, shape.dims,
        [&](const Choices &choices) { return checked(verifier, choices, shape); },
        [&](const std::string &doing) {
          progress.show(shape.name + (shape.name.empty() ? "" : ": ") + doing);
        });
    if (!trace)
      throw Bug(llvm::toString(trace.takeError()));
    traces.push_back(std::move(*trace));
    traces.back().name = shape.name;
  }
  progress.clear();
  writeFile(options.log, tune::optimizationLog(kernel, machine, traces, options.command));
  const int code = std::ranges::any_of(traces, hasFailed) ? wrongResult : success;
  if (options.json)
    writeFile(*options.json, json(kernel, machine, traces));
  if (options.json.value_or("") == "-")
    return code;

  Table table("<<>>><");
  table.add({"case", "version", "cycles", "us", "time", "change"});
  for (const tune::TuningTrace &trace : traces)
    addRows(table, trace);
  print(fmt::format("{} on {}\n{}", kernel.name, machine.name, table.text()));
  for (const tune::TuningTrace &trace : traces)
    print(fmt::format("{}{}\n", trace.name.empty() ? "" : trace.name + ": ", trace.last.variant));
  print(fmt::format("log: {}\n", options.log));
  return code;
}

std::string commandOf(const std::string &name, const std::vector<std::string> &words) {
  std::string text = "mmk " + name;
  for (const std::string &word : words) {
    const bool isPlain = word.find_first_of(" ()*'\"$&;<>|\\`!") == std::string::npos;
    text += isPlain ? " " + word : " '" + word + "'";
  }
  return text;
}

} // namespace mmk::driver
