// The report of `mmk bench` for programs, written and read.
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/json.h"
#include "print/bench_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

void writeSeries(json::OStream &out, const Series &series) {
  const Summary summary = series.summary();
  for (const auto &[name, value] :
       {std::pair("min", summary.min), std::pair("mean", summary.mean),
        std::pair("p50", summary.p50), std::pair("p90", summary.p90), std::pair("p99", summary.p99),
        std::pair("relative_deviation", summary.relativeDeviation())})
    writeNumber(out, name, value);
  out.attributeObject("outliers", [&] {
    out.attribute("below", static_cast<int64_t>(summary.outliersBelow));
    out.attribute("above", static_cast<int64_t>(summary.outliersAbove));
  });
  out.attribute("stopped_by", llvm::StringRef(nameOf(series.stoppedBy)));
  out.attribute("runs_per_sample", series.runsPerSample);
  out.attributeBegin("samples");
  out.rawValue([&](llvm::raw_ostream &stream) {
    stream << '[';
    for (size_t i = 0; i < series.samples.size(); ++i)
      stream << (i ? ", " : "") << fmt::format("{}", series.samples[i]);
    stream << ']';
  });
  out.attributeEnd();
}

/// The samples of a file.
struct SavedSeries {
  Series series;
};
struct SavedClock {
  int64_t cycles = 0;
  double microseconds = 0;
};
struct SavedBench {
  std::string kernel, machine, variant;
  std::vector<std::string> machineSets;
  BenchCase measured;
  std::map<std::string, std::string> fingerprint;
};

bool fromJSON(const json::Value &value, SavedSeries &saved, json::Path path) {
  json::ObjectMapper map(value, path);
  std::string reason;
  Series &series = saved.series;
  if (!map || !map.map("samples", series.samples) ||
      !map.map("runs_per_sample", series.runsPerSample) || !map.map("stopped_by", reason))
    return false;
  if (series.samples.empty() ||
      std::ranges::any_of(series.samples, [](double sample) { return !(sample > 0); })) {
    path.field("samples").report("expected positive times");
    return false;
  }
  for (StoppedBy each : {StoppedBy::deviation, StoppedBy::samples, StoppedBy::seconds})
    if (nameOf(each) == reason)
      series.stoppedBy = each;
  return true;
}

bool fromJSON(const json::Value &value, SavedClock &clock, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("cycles", clock.cycles) && map.map("time_us", clock.microseconds);
}

bool fromJSON(const json::Value &value, SavedBench &saved, json::Path path) {
  json::ObjectMapper map(value, path);
  std::optional<SavedClock> clock;
  std::optional<SavedCheck> check;
  std::optional<SavedSeries> kernel, command;
  BenchCase &measured = saved.measured;
  if (!map || !map.map("kernel", saved.kernel) || !map.map("case", measured.name) ||
      !map.map("dims", measured.dims) || !map.map("machine", saved.machine) ||
      !map.map("machine_set", saved.machineSets) || !map.map("variant", saved.variant) ||
      !map.mapOptional("check", check) || !map.mapOptional("clock", clock) ||
      !map.mapOptional("kernel_ms", kernel) || !map.mapOptional("command_ms", command) ||
      !map.map("environment", saved.fingerprint))
    return false;
  if (clock) {
    measured.cycles = clock->cycles;
    measured.microseconds = clock->microseconds;
  }
  if (check)
    measured.passed = check->passed;
  if (kernel)
    measured.kernel = std::move(kernel->series);
  if (command)
    measured.command = std::move(command->series);
  return true;
}

} // namespace

std::string json(const BenchReport &report) {
  return jsonArray(report.cases, [&](json::OStream &out, const BenchCase &each) {
    out.attribute("kernel", report.kernel);
    out.attribute("case", each.name);
    writeDims(out, report.dimensions, each.dims);
    out.attribute("machine", report.machine);
    out.attributeArray("machine_set", [&] {
      for (const std::string &set : report.machineSets)
        out.value(set);
    });
    out.attribute("variant", report.variant);
    if (!report.constants.empty())
      writeConstants(out, report.constants, {});
    if (each.passed)
      out.attributeObject("check", [&] { out.attribute("passed", *each.passed); });
    if (each.cycles)
      out.attributeObject("clock", [&] {
        out.attribute("cycles", *each.cycles);
        writeNumber(out, "time_us", each.microseconds);
      });
    if (each.kernel)
      out.attributeObject("kernel_ms", [&] { writeSeries(out, *each.kernel); });
    if (each.command)
      out.attributeObject("command_ms", [&] { writeSeries(out, *each.command); });
    out.attributeObject("environment", [&] {
      for (const auto &[name, value] : report.fingerprint)
        out.attribute(name, value);
    });
  });
}

BenchReport readBenchReport(const std::string &file) {
  const json::Value value = readJson(file);
  std::vector<SavedBench> cases;
  json::Path::Root root("report");
  if (!fromJSON(value, cases, root))
    throw UserError(fmt::format("{}: expected what mmk bench --save has written: {}", file,
                                llvm::toString(root.getError())));
  if (cases.empty())
    throw UserError(fmt::format("{} holds no case", file));
  const SavedBench &first = cases.front();
  BenchReport report{first.kernel, first.machine, first.variant, first.machineSets, {}, {}, {}};
  report.fingerprint.assign(first.fingerprint.begin(), first.fingerprint.end());
  for (SavedBench &each : cases) {
    if (each.kernel != first.kernel || each.machine != first.machine ||
        each.variant != first.variant || each.fingerprint != first.fingerprint)
      throw UserError(
          fmt::format("{} holds several kernels, machines, variants or computers; expected "
                      "one measurement",
                      file));
    report.cases.push_back(std::move(each.measured));
  }
  return report;
}

} // namespace mmk::driver
