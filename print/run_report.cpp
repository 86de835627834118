// The report of a run for programs, and the figures that both forms show.
#include "print/run_report.h"

#include "cli/environment.h"
#include "cli/json.h"
#include "print/watch_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

/// The value below which `share` of the sorted ones are.
double percentile(const std::vector<double> &sorted, double share) {
  const double place = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(place, 1.0)) - 1];
}

void writeCheck(json::OStream &out, const CheckReport &check) {
  const double ratio = check.elements == 0
                           ? 0
                           : static_cast<double>(check.wrong) / static_cast<double>(check.elements);
  out.attribute("passed", check.passed);
  out.attribute("elements", check.elements);
  out.attribute("wrong", check.wrong);
  writeNumber(out, "error_ratio", ratio);
  writeNumber(out, "max_abs_error", check.maxAbs);
  writeNumber(out, "max_rel_error", check.maxRel);
  out.attribute("sampled", check.sampled);
  out.attribute("unexplained", check.unexplained);
}

void writeHost(json::OStream &out, const HostReport &host) {
  out.attribute("threads", static_cast<int64_t>(host.threads));
  writeNumber(out, "compile_ms", host.compileMs);
  out.attribute("cached", host.cached);
  out.attributeObject("run_ms", [&] {
    writeNumber(out, "min", host.runMs.front());
    writeNumber(out, "median", host.median());
    writeNumber(out, "p90", host.ninetieth());
  });
  writeNumber(out, "gflops", host.gflops);
}

void writePart(json::OStream &out, const Timing::Part &part) {
  out.attribute("name", part.name);
  writeNumber(out, "ms", part.milliseconds);
  out.attribute("count", part.count);
  if (part.parts.empty())
    return;
  out.attributeArray("parts", [&] {
    for (const Timing::Part &each : part.parts)
      out.object([&] { writePart(out, each); });
  });
}

} // namespace

void writeFlags(json::OStream &out, const PlacedFlags &flags) {
  out.attributeObject("flags", [&] {
    for (const auto &[pair, placed] : flags)
      out.attribute(pair, placed);
  });
}

std::string timedAs(const Kernel &kernel, const RunCase &run) {
  std::string text = "case " + run.name;
  if (run.name.empty())
    for (const std::string &dimension : kernel.shownDimensions())
      text +=
          fmt::format("{}{}={}", text.back() == ' ' ? "" : " ", dimension, run.dims.at(dimension));
  return text;
}

void writeTiming(json::OStream &out, const Timing::Part &total, const std::string &ofCase) {
  out.attributeObject("timing", [&] {
    Timing::Part shown = total;
    std::erase_if(shown.parts, [&](const Timing::Part &part) {
      return part.name.starts_with("case ") && part.name != ofCase;
    });
    writePart(out, shown);
  });
}

void CheckReport::add(const std::string &result, const Comparison &comparison) {
  passed &= comparison.passed;
  elements += comparison.elements;
  wrong += comparison.wrong;
  maxAbs = std::max(maxAbs, comparison.maxAbs);
  maxRel = std::max(maxRel, comparison.maxRel);
  sampled += comparison.sampled;
  unexplained += comparison.unexplained;
  results.emplace_back(result, comparison);
}

double HostReport::median() const {
  const size_t middle = runMs.size() / 2;
  return runMs.size() % 2 ? runMs[middle] : (runMs[middle - 1] + runMs[middle]) / 2;
}

double HostReport::ninetieth() const { return percentile(runMs, 0.9); }

void write(json::OStream &out, const ClockReport &clock) {
  out.attribute("cycles", clock.cycles);
  writeNumber(out, "time_us", clock.microseconds);
  writeNumber(out, "task_us", clock.taskMicroseconds);
  writeNumber(out, "launch_us", clock.launchMicroseconds);
  out.attribute("cores", clock.cores);
  out.attribute("bound", llvm::StringRef(spelling(clock.bound)));
  writeNumber(out, "bound_us", clock.boundMicroseconds);
  out.attribute("global_bytes", clock.movedBytes);
  if (clock.covered.all > 0)
    out.attributeObject("conditions", [&] {
      out.attribute("elements", clock.covered.all);
      out.attribute("skipped", clock.covered.skipped);
      out.attribute("unmasked", clock.covered.full);
      if (clock.covered.isAssumed)
        out.attribute("assumed", true);
    });
  out.attributeObject("pipes", [&] {
    for (size_t i = 0; i < allPipes.size(); ++i)
      out.attributeObject(spelling(allPipes[i]), [&] {
        writeNumber(out, "busy_us", clock.pipes[i].busyMicroseconds);
        writeNumber(out, "ratio", clock.pipes[i].ratio);
      });
  });
}

std::map<std::string, std::string> changedFigures(const Machine &machine) {
  const std::map<std::string, std::string> figures(machine.figures.begin(), machine.figures.end());
  std::map<std::string, std::string> changed;
  for (const auto &[path, source] : machine.sources)
    if (const auto figure = figures.find(path);
        llvm::StringRef(source).starts_with("--machine-set") && figure != figures.end())
      changed.insert(*figure);
  return changed;
}

void writeEnvironment(json::OStream &out, const Machine &machine,
                      const std::vector<std::pair<std::string, std::string>> &fields) {
  out.attributeObject("machine_set", [&] {
    for (const auto &[path, value] : changedFigures(machine))
      out.attribute(path, value);
  });
  out.attributeObject("environment", [&] {
    for (const auto &[name, value] : fields)
      out.attribute(name, value);
  });
}

void write(json::OStream &out, const RunHeader &header, const CaseReport &report) {
  out.attribute("kernel", header.kernel->name);
  out.attribute("case", report.run.name);
  writeDims(out, header.kernel->shownDimensions(), report.run.dims);
  out.attribute("machine", header.machine->name);
  out.attribute("variant", header.variant);
  if (!header.tunedFor.empty())
    out.attribute("tuned_for", header.tunedFor);
  if (!header.reasons.empty())
    out.attributeArray("chosen_for", [&] {
      for (const std::string &reason : header.reasons)
        out.value(reason);
    });
  if (header.uncheckedUs > 0)
    writeNumber(out, "unchecked_us", header.uncheckedUs);
  if (report.check)
    out.attributeObject("check", [&] { writeCheck(out, *report.check); });
  if (report.clock)
    out.attributeObject("clock", [&] { write(out, *report.clock); });
  if (report.host)
    out.attributeObject("host", [&] { writeHost(out, *report.host); });
  if (report.watch)
    out.attributeObject("watch", [&] { write(out, *report.watch, *header.file); });
  if (header.timing)
    writeTiming(out, *header.timing, timedAs(*header.kernel, report.run));
  writeMemory(out, header.memory);
  if (!header.constants.empty())
    writeConstants(out, header.constants, report.packedBytes);
  if (header.flags)
    writeFlags(out, *header.flags);
  writeEnvironment(out, *header.machine, environment());
}

} // namespace mmk::driver
