// `mmk explain`: the bottlenecks of a kernel, and the changes that would help.
#include "cli/files.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "driver/chosen_variants.h"
#include "driver/command.h"
#include "driver/count_case.h"
#include "driver/footprint.h"
#include "driver/try_changes.h"
#include "print/explanation.h"

namespace mmk::driver {
namespace {

Explanation explain(Session &session, Lowering &lowering, const RunCase &run, Progress &progress) {
  const Kernel &kernel = session.kernel();
  progress.show(run.title() + ": clock");
  Recorder recorder(pathEvents, 0);
  Explanation result;
  result.report.run = run;
  result.report.clock = countCase(lowering, session.machine(), kernel, run, &recorder);
  result.roofline = tune::rooflineOf(kernel, run.dims, session.machine(), recorder.phases());
  result.path = pathReport(recorder.phases());
  result.waits = waitReport(recorder.phases());
  for (const PhaseRecording &phase : recorder.phases())
    result.slowest.push_back(phase.slowest().block);
  result.sync =
      synchronisationOf(lowering.kernel(), session.machine(), dimsOf(kernel, run), result.path);
  result.changes = tryChanges(session, kernel, run, result.report.clock->cycles, progress);
  return result;
}

bool hasLeakyReluOfVector(Lowering &lowering) {
  bool found = false;
  lowering.kernel()->walk([&](aicore::VecOp op) { found |= op.getInstruction() == "leaky_relu"; });
  return found;
}

/// The case with the leaky ReLU of the fixpipe, where that of the machine is off and the kernel
/// would use it.
std::optional<MachineChange> withLeakyRelu(const Session &session, Target target,
                                           const RunCase &run) {
  MachineChange change;
  change.set = "fixpipe_leaky_relu.use=on";
  change.what = "leaky ReLU in the fixpipe";
  change.trust = "off by default, as no run of it on a chip is published";
  target.machineSets.push_back(change.set);
  Session changed(session, target);
  const CaseVariant variant = variantsOf(changed, target, changed.kernel(), {run}, true).front();
  Session ofShape(changed, target, variant.choices);
  Lowering lowering = ofShape.lower(ofShape.kernel(), LoweringLevel::aicore);
  bool isUsed = false;
  lowering.kernel()->walk([&](aicore::FixpipeOp op) { isUsed |= bool(op.getSlope()); });
  if (!isUsed)
    return std::nullopt;
  const ClockReport clock = countCase(lowering, ofShape.machine(), ofShape.kernel(), run);
  change.variant = lowering.variant;
  change.cycles = clock.cycles;
  change.microseconds = clock.microseconds;
  return change;
}

struct Explained {
  RunHeader header;
  Explanation explanation;
};

} // namespace

int explainCommand(const std::vector<std::string> &words) {
  Target target;
  std::vector<std::string> cases;
  std::optional<std::string> json;
  CommandLine commandLine("explain");
  target.addOptionsTo(commandLine);
  commandLine.repeated("--case", "NAME", cases);
  commandLine.option("--json", "FILE", json);
  const std::vector<std::string> arguments = target.takeFile(commandLine.parse(words), "explain");

  Session session(target);
  const Kernel &kernel = session.kernel();
  const Machine &machine = session.machine();
  session.expectClock("explain");
  const std::vector<RunCase> runs = casesToRun(kernel, cases, arguments);
  expectLaunch(runs, "mmk explain");
  for (const RunCase &run : runs)
    expectSizes(kernel, run);
  if (json)
    expectWritable(*json);

  Progress progress;
  std::vector<Explained> all;
  for (const RunCase &run : runs) {
    progress.show(run.title() + ": compile");
    // Each shape has its own variant.
    const CaseVariant variant = variantsOf(session, target, kernel, {run}, true).front();
    Session ofShape(session, target, variant.choices);
    Lowering lowering = ofShape.lower(kernel, LoweringLevel::aicore);
    RunHeader header{&kernel, &machine, lowering.variant, memoryUse(lowering.kernel())};
    header.tunedFor = variant.known.tunedFor;
    header.reasons = variant.reasons;
    all.push_back({std::move(header), explain(ofShape, lowering, run, progress)});
    const auto &leakyRelu = machine.fixpipeLeakyRelu;
    if (leakyRelu.slopeBits > 0 && !leakyRelu.isUsed && hasLeakyReluOfVector(lowering))
      all.back().explanation.fixpipe = withLeakyRelu(session, target, run);
    progress.clear();
    if (json.value_or("") != "-")
      print((all.size() > 1 ? "\n\n" : "") + textOf(all.back().header, all.back().explanation));
    if (readerIsGone() && !json)
      break;
  }
  if (json)
    writeFile(*json, jsonArray(all, [&](llvm::json::OStream &out, const Explained &it) {
      write(out, it.header, it.explanation);
    }));
  return success;
}

} // namespace mmk::driver
