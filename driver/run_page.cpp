#include "driver/run_page.h"

#include "driver/count_case.h"
#include "driver/try_changes.h"
#include "explain/roofline.h"
#include "runtime/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace mmk::driver {
namespace {

/// "tile.M, tile.N"
std::string directivesOf(const Choices &choices) {
  std::vector<std::string> keys;
  for (const auto &[key, word] : choices)
    keys.push_back(key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

std::vector<report::Change> changesOf(const tune::WhatIfs &tried, int64_t cycles) {
  std::vector<report::Change> changes;
  for (const tune::WhatIf &change : tried.alone) {
    report::Change &shown = changes.emplace_back();
    shown.directive = directivesOf(change.choices);
    shown.options = optionsOf(change.choices);
    shown.reason = change.reason;
    shown.cycles = change.cycles;
    shown.gain = static_cast<double>(cycles - change.cycles) / static_cast<double>(cycles);
  }
  return changes;
}

} // namespace

report::Roofs roofsOf(const tune::Roofline &roof, const Machine &machine) {
  const int64_t ports =
      machine.cubeCores * (roof.portIsOfVectorCore ? machine.vectorCoresPerCube : 1);
  const double portRate =
      roof.portMicroseconds > 0 ? 1e6 * roof.portBytes / roof.portMicroseconds : 0;
  return {roof.operations, roof.tensorBytes, roof.peakOperations, roof.memoryBytes,
          portRate * static_cast<double>(ports)};
}

report::Point pointOf(const std::string &variant, const ClockReport &clock,
                      const TrafficReport &traffic, bool portIsOfVectorCore) {
  report::Point point;
  point.variant = variant;
  point.cycles = clock.cycles;
  point.microseconds = clock.microseconds;
  point.trafficBytes = traffic.all();
  point.portBytes = portIsOfVectorCore ? traffic.vectorLoads : traffic.cubeLoads;
  return point;
}

RunPage::RunPage(std::string title, const Session &session, const Kernel &kernel)
    : kernel_(kernel), defaults_(session, session.withoutChoices()),
      default_(defaults_.tryLower(kernel, {})) {
  page_.title = std::move(title);
  page_.kernel = kernel.name;
  page_.file = session.program().file->path();
  page_.machine = session.machine().name;
  page_.version = MMK_VERSION;
  page_.megahertz = session.machine().megahertz;
  page_.cores = session.machine().cubeCores;
}

report::Case &RunPage::add(Session &session, const RunHeader &header, const CaseReport &report,
                           const std::deque<PhaseRecording> &phases, const TrafficReport &traffic,
                           Progress &progress) {
  const tune::Roofline roof = tune::rooflineOf(kernel_, report.run.dims, *header.machine, phases);
  report::Case &shown = page_.cases.emplace_back();
  shown.name = report.run.name;
  for (const std::string &name : kernel_.shownDimensions())
    shown.dims.emplace_back(name, report.run.dims.at(name));
  if (report.check)
    shown.passed = report.check->passed;
  shown.variant = header.variant;
  shown.clock = *report.clock;
  shown.roofs = roofsOf(roof, *header.machine);
  shown.chosen = pointOf(header.variant, *report.clock, traffic, roof.portIsOfVectorCore);
  shown.chosen.passed = shown.passed;
  shown.before = defaultPoint(header, report.run, roof.portIsOfVectorCore);
  shown.changes =
      changesOf(tryChanges(session, kernel_, report.run, report.clock->cycles, progress),
                report.clock->cycles);
  shown.path = pathReport(phases);
  shown.waits = waitReport(phases);
  shown.timeline = report::timelineOf(phases);
  shown.timeline.task = report.clock->taskCycles;
  if (report.clock->usesBothKinds)
    shown.timeline.kinds = "cube and vector cores";
  shown.timeline.shown = shownInTrace(phases, std::numeric_limits<size_t>::max());
  return shown;
}

std::optional<report::Point> RunPage::defaultPoint(const RunHeader &header, const RunCase &run,
                                                   bool portIsOfVectorCore) {
  if (!default_ || default_.variant == header.variant)
    return std::nullopt;
  TrafficMeter traffic;
  const ClockReport clock = countCase(default_, *header.machine, kernel_, run, &traffic);
  return pointOf(default_.variant, clock, traffic.report(), portIsOfVectorCore);
}

} // namespace mmk::driver
