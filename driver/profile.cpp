#include "driver/profile.h"

#include "cli/files.h"
#include "cli/json.h"
#include "print/time_report.h"
#include "runtime/trace.h"

#include <fmt/format.h>

namespace mmk::driver {
namespace {

// A trace of this many events is about 50 MB, which the viewers open in seconds.
constexpr int64_t traceEvents = 200000;

std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string inside;
  for (char letter : text)
    inside += letter == '"' ? "\"\"" : std::string(1, letter);
  return '"' + inside + '"';
}

/// A pipe's busy time and its share of the time of its core.
void addPipe(ProfileRow &row, const std::string &name, const ClockReport::PipeTime &pipe,
             double coreMicroseconds) {
  const double ratio = coreMicroseconds > 0 ? pipe.busyMicroseconds / coreMicroseconds : 0;
  row.emplace_back(name + "_time(us)", fmt::format("{:.3f}", pipe.busyMicroseconds));
  row.emplace_back(name + "_ratio", fmt::format("{:.3f}", ratio));
}

void addLine(std::string &table, const ProfileRow &row, bool names) {
  for (size_t i = 0; i < row.size(); ++i)
    table += (i ? "," : "") + quoted(names ? row[i].first : row[i].second);
  table += '\n';
}

} // namespace

ProfileRow profileRow(const RunHeader &header, const CaseReport &report) {
  const ClockReport &clock = *report.clock;
  const Machine &machine = *header.machine;
  const bool split = machine.topology == Topology::split;
  // On a coupled core, both halves of the row are of the same core.
  const ClockReport::PipeTimes &cube = clock.cubeUnit,
                               &vector = split ? clock.vectorUnits : clock.cubeUnit;
  const int64_t vectorCycles = split ? clock.vectorCoreCycles : clock.cubeCoreCycles;
  const int64_t cubeCores = std::max<int64_t>(1, clock.cores);
  const int64_t vectorCores = split ? cubeCores * machine.vectorCoresPerCube : cubeCores;
  auto mean = [&](int64_t cycles, int64_t cores) {
    return static_cast<double>(cycles) / static_cast<double>(cores) / machine.megahertz;
  };
  const double cubeTime = mean(clock.cubeCoreCycles, cubeCores),
               vectorTime = mean(vectorCycles, vectorCores);
  auto pipe = [](const ClockReport::PipeTimes &times, Pipe pipe) -> const ClockReport::PipeTime & {
    return times[static_cast<size_t>(pipe)];
  };

  ProfileRow row;
  row.emplace_back("Op Name", header.kernel->name);
  row.emplace_back("Case", report.run.name);
  row.emplace_back("Task Duration(us)", fmt::format("{:.3f}", clock.microseconds));
  row.emplace_back("Block Dim", std::to_string(clock.cores));
  row.emplace_back("aicore_time(us)", fmt::format("{:.3f}", cubeTime));
  row.emplace_back("aic_total_cycles", std::to_string(clock.cubeCoreCycles));
  addPipe(row, "aic_mac", pipe(cube, Pipe::cube), cubeTime);
  addPipe(row, "aic_scalar", pipe(cube, Pipe::scalar), cubeTime);
  addPipe(row, "aic_mte1", pipe(cube, Pipe::mte1), cubeTime);
  addPipe(row, "aic_mte2", pipe(cube, Pipe::mte2), cubeTime);
  addPipe(row, "aic_fixpipe", pipe(cube, Pipe::fixpipe), cubeTime);
  row.emplace_back("aiv_time(us)", fmt::format("{:.3f}", vectorTime));
  row.emplace_back("aiv_total_cycles", std::to_string(vectorCycles));
  addPipe(row, "aiv_vec", pipe(vector, Pipe::vector), vectorTime);
  addPipe(row, "aiv_scalar", pipe(vector, Pipe::scalar), vectorTime);
  addPipe(row, "aiv_mte2", pipe(vector, Pipe::mte2), vectorTime);
  addPipe(row, "aiv_mte3", pipe(vector, Pipe::mte3), vectorTime);
  std::string dims;
  for (const std::string &name : header.kernel->shownDimensions())
    dims += fmt::format("{}{}={}", dims.empty() ? "" : " ", name, report.run.dims.at(name));
  row.emplace_back("Dims", dims);
  row.emplace_back("Machine", machine.name);
  row.emplace_back("Variant", header.variant);
  return row;
}

Profile::Profile(std::string folder, Session &session, const RunHeader &header, size_t cases)
    : folder_(std::move(folder)), header_(header), session_(session),
      page_("mmk run", session, *header.kernel), hasOneCase_(cases == 1) {
  makeFolder(folder_);
}

Recorder Profile::recorder() { return {pathEvents, traceEvents}; }

std::string Profile::pathOf(const std::string &file) const {
  return folder_ + (folder_.ends_with('/') ? "" : "/") + file;
}

void Profile::add(const CaseReport &report, const Recorder &recorder, const TrafficReport &traffic,
                  Progress &progress) {
  const std::string name = report.run.name.empty() ? "dims" : report.run.name;
  const std::string file = hasOneCase_ ? "trace.json" : "trace-" + name + ".json";
  const std::string shown = shownInTrace(recorder.phases(), traceEvents);
  std::string trace;
  llvm::raw_string_ostream stream(trace);
  writeTrace(stream, recorder.phases(), *header_.machine, traceEvents,
             {{"kernel", header_.kernel->name},
              {"case", report.run.name},
              {"machine", header_.machine->name},
              {"variant", header_.variant}});
  writeFile(pathOf(file), trace);
  if (!shown.empty())
    notes_ += fmt::format("  {} shows {}\n", file, shown);

  page_.add(session_, header_, report, recorder.phases(), traffic, progress);
  const ProfileRow row = profileRow(header_, report);
  if (table_.empty())
    addLine(table_, row, /*names=*/true);
  addLine(table_, row, /*names=*/false);

  llvm::raw_string_ostream summary(summaries_);
  summary << (summaries_.empty() ? "[\n" : ",\n");
  llvm::json::OStream out(summary, /*IndentSize=*/2);
  out.object([&] {
    write(out, header_, report);
    writePath(out, pathReport(recorder.phases()), header_.machine->topology);
    writeWaits(out, waitReport(recorder.phases()), header_.machine->topology);
    out.attributeObject("trace", [&] {
      out.attribute("file", file);
      if (!shown.empty())
        out.attribute("shown", shown);
    });
  });
}

std::string Profile::finish() {
  writeFile(pathOf("op_summary.csv"), table_);
  writeFile(pathOf("summary.json"), summaries_ + "\n]\n");
  writeFile(pathOf("report.html"), page_.html());
  return fmt::format("profile: {}\n{}",
                     pathOf(hasOneCase_ ? "{op_summary.csv,report.html,summary.json,trace.json}"
                                        : "{op_summary.csv,report.html,summary.json,trace-*.json}"),
                     notes_);
}

} // namespace mmk::driver
