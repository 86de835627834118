#include "driver/ascendc/ascendc_project.h"

#include "ascendc/project.h"
#include "ascendc/vector_room.h"
#include "backend/backend.h"
#include "cli/files.h"
#include "compiler/ir_diagnostics.h"
#include "driver/count_case.h"
#include "support/timing.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

// Of the host program, where neither the command line nor the file has a case.
constexpr int64_t anyExtent = 512;

std::vector<std::pair<std::string, int64_t>> shapeOf(const Kernel &kernel,
                                                     const std::vector<RunCase> &runs) {
  std::vector<std::pair<std::string, int64_t>> shape;
  for (const std::string &name : kernel.dimensions)
    shape.emplace_back(name, runs.empty() ? anyExtent : runs.front().dims.at(name));
  return shape;
}

std::string predictionOf(Lowering &lowering, const Machine &machine, const Kernel &kernel,
                         const RunCase &run) {
  const ClockReport report = countCase(lowering, machine, kernel, run);
  std::string dims;
  for (const std::string &name : kernel.shownDimensions())
    dims += fmt::format("{}{}={}", dims.empty() ? "" : ", ", name, run.dims.at(name));
  return fmt::format("{}: {:.2f} us, {} cycles, by the clock of mmk", dims, report.microseconds,
                     report.cycles);
}

} // namespace

void leaveRoom(Target &target) {
  const Machine machine =
      loadMachineOrRefuse(target.machine.value_or(defaultMachine), target.machineSets);
  const std::string path = "memories.ub.reserved";
  const auto ub = machine.memories.find(Memory::ub);
  const int64_t planBytes = ascendc::planBytesOf(ascendc::architectureOf(machine));
  if (ub == machine.memories.end() || ub->second.capacity() <= planBytes ||
      std::ranges::any_of(target.machineSets,
                          [&](const std::string &set) { return set.starts_with(path); }))
    return;
  target.machineSets.push_back(fmt::format("{}={}", path, ub->second.bytes - planBytes));
}

void writeAscendcProject(Session &session, Lowering &lowering, const std::vector<RunCase> &runs,
                         const std::string &folder) {
  const Kernel &kernel = session.kernel();
  expectLaunch(runs, "mmk compile --emit=ascendc");
  const auto full = std::ranges::find_if(kernel.cases, [&](const Case &each) {
    return std::ranges::none_of(each.dimensions, [](const auto &it) { return it.second == 0; });
  });
  ascendc::ProjectFacts facts{*session.program().file,
                              kernel,
                              lowering.variant,
                              {},
                              shapeOf(kernel, !runs.empty() || full == kernel.cases.end()
                                                  ? runs
                                                  : casesToRun(kernel, {full->name}, {}))};
  if (backendOf(session.machine().kind).hasClock())
    for (const RunCase &run : runs)
      facts.predictions.push_back(predictionOf(lowering, session.machine(), kernel, run));
  const TimedScope timed("write Ascend C");
  const IrDiagnostics messages(*lowering.module->getContext(), *session.program().file);
  const mlir::FailureOr<std::vector<ascendc::ProjectFile>> files =
      ascendc::projectOf(lowering.kernel(), facts);
  if (mlir::failed(files))
    throw UserError(messages.diagnostics());
  makeFolder(folder);
  for (const ascendc::ProjectFile &file : *files)
    writeFile((std::filesystem::path(folder) / file.name).string(), file.text);
}

} // namespace mmk::driver
