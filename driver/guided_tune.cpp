#include "driver/guided_tune.h"

#include "cli/ending.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "driver/count_case.h"
#include "driver/known_variants.h"
#include "tune/engineer.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// Runs a variant; what was wrong with its results, or nothing.
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
void addRows(Table &table, const tune::Journey &journey) {
  const auto row = [&](const std::string &version, const tune::Diagnosis &at,
                       const std::string &change) {
    const double first = journey.first.clock.microseconds, now = at.clock.microseconds;
    table.add({journey.name.empty() ? "-" : journey.name, version, std::to_string(at.clock.cycles),
               fmt::format("{:.2f}", now), fmt::format("{:+.1f} %", 100 * (now - first) / first),
               change});
  };
  row("v0", journey.first, "");
  int version = 0;
  for (const tune::Round &round : journey.rounds)
    if (round.after)
      row(round.isKept() ? fmt::format("v{}", ++version) : "dropped", *round.after,
          optionsOf(round.made->choices));
}

void write(llvm::json::OStream &out, const tune::Diagnosis &at) {
  out.attribute("variant", at.variant);
  out.attribute("cycles", at.clock.cycles);
  writeNumber(out, "time_us", at.clock.microseconds);
  out.attribute("bound", llvm::StringRef(spelling(at.clock.bound)));
  out.attributeArray("bottlenecks", [&] {
    for (const tune::Symptom &symptom : at.symptoms)
      out.value(symptom.text);
  });
}

void write(llvm::json::OStream &out, const tune::Round &round) {
  out.attributeObject("before", [&] { write(out, round.before); });
  out.attribute("tried", static_cast<int64_t>(round.tried.size() + round.pairs));
  if (!round.after)
    return;
  out.attribute("change", optionsOf(round.made->choices));
  out.attributeObject("after", [&] { write(out, *round.after); });
  out.attribute("kept", round.isKept());
  if (!round.failure.empty())
    out.attribute("failure", llvm::json::fixUTF8(round.failure));
}

std::string json(const Kernel &kernel, const Machine &machine,
                 const std::vector<tune::Journey> &journeys) {
  return jsonArray(journeys, [&](llvm::json::OStream &out, const tune::Journey &journey) {
    out.attribute("kernel", kernel.name);
    out.attribute("case", journey.name);
    writeDims(out, journey.dims);
    out.attribute("machine", machine.name);
    out.attributeObject("first", [&] { write(out, journey.first); });
    if (!journey.firstFailure.empty())
      out.attribute("first_failure", llvm::json::fixUTF8(journey.firstFailure));
    out.attributeArray("rounds", [&] {
      for (const tune::Round &round : journey.rounds)
        out.object([&] { write(out, round); });
    });
    out.attributeObject("last", [&] { write(out, journey.last); });
    out.attribute("at_its_best", journey.isAtItsBest);
  });
}

bool hasFailed(const tune::Journey &journey) {
  return !journey.firstFailure.empty() ||
         std::ranges::any_of(journey.rounds,
                             [](const tune::Round &round) { return !round.failure.empty(); });
}

} // namespace

int tuneGuided(Session &session, const std::vector<RunCase> &runs, tune::Verifier &verifier,
               const GuidedOptions &options) {
  const Kernel &kernel = session.kernel();
  const Machine &machine = session.machine();
  if (machine.kind != MachineKind::emulated)
    throw Mistake("--guided needs an emulated machine; host has no clock but the real one");
  expectWritable(options.log);
  // A first variant that does not exist is refused here, with the nearest that does.
  Lowering first = session.lower(kernel, Stage::aicore);
  for (const RunCase &run : runs)
    expectWithinLimits(first, kernel, run);
  tune::Engineer engineer(session.program(), kernel, machine,
                          {options.rounds, session.setChoices(kernel)});
  Progress progress;
  std::vector<tune::Journey> journeys;
  for (const tune::RunShape &shape : runShapes(kernel, runs)) {
    llvm::Expected<tune::Journey> journey = engineer.run(
        session.choicesOf(kernel, first.variant), shape.dims,
        [&](const Choices &choices) { return checked(verifier, choices, shape); },
        [&](const std::string &doing) {
          progress.show(shape.name + (shape.name.empty() ? "" : ": ") + doing);
        });
    if (!journey)
      throw Bug(llvm::toString(journey.takeError()));
    journeys.push_back(std::move(*journey));
    journeys.back().name = shape.name;
  }
  progress.clear();
  writeFile(options.log, tune::optimizationLog(kernel, machine, journeys, options.command));
  const int code = std::ranges::any_of(journeys, hasFailed) ? wrongResult : allWell;
  if (options.json)
    writeFile(*options.json, json(kernel, machine, journeys));
  if (options.json.value_or("") == "-")
    return code;

  Table table("<<>>><");
  table.add({"case", "version", "cycles", "us", "time", "change"});
  for (const tune::Journey &journey : journeys)
    addRows(table, journey);
  print(fmt::format("{} on {}\n{}", kernel.name, machine.name, table.text()));
  for (const tune::Journey &journey : journeys)
    print(fmt::format("{}{}\n", journey.name.empty() ? "" : journey.name + ": ",
                      journey.last.variant));
  print(fmt::format("log: {}\n", options.log));
  return code;
}

std::string commandOf(const std::vector<std::string> &words) {
  std::string text = "mmk tune";
  for (const std::string &word : words) {
    const bool isPlain = word.find_first_of(" ()*'\"$&;<>|\\`!") == std::string::npos;
    text += isPlain ? " " + word : " '" + word + "'";
  }
  return text;
}

} // namespace mmk::driver
