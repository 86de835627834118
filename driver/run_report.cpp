// The report of a run for programs, and the figures that both forms show.
#include "driver/run_report.h"

#include "driver/environment.h"

#include <algorithm>
#include <cmath>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

/// The value below which `share` of the sorted ones are.
double percentile(const std::vector<double> &sorted, double share) {
  const double place = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(place, 1.0)) - 1];
}

json::Object toJson(const ClockReport &clock) {
  json::Object pipes;
  for (size_t i = 0; i < allPipes.size(); ++i)
    pipes[spelling(allPipes[i])] =
        json::Object{{"busy_us", clock.pipes[i].busyMicroseconds}, {"ratio", clock.pipes[i].ratio}};
  return json::Object{{"cycles", clock.cycles},
                      {"time_us", clock.microseconds},
                      {"launch_us", clock.launchMicroseconds},
                      {"cores", clock.cores},
                      {"bound", spelling(clock.bound)},
                      {"bound_us", clock.boundMicroseconds},
                      {"pipes", std::move(pipes)}};
}

json::Object toJson(const CheckReport &check) {
  const double ratio = check.elements == 0
                           ? 0
                           : static_cast<double>(check.wrong) / static_cast<double>(check.elements);
  return json::Object{{"passed", check.passed},        {"elements", check.elements},
                      {"wrong", check.wrong},          {"error_ratio", ratio},
                      {"max_abs_error", check.maxAbs}, {"max_rel_error", check.maxRel}};
}

json::Object toJson(const HostReport &host) {
  return json::Object{{"threads", host.threads},
                      {"compile_ms", host.compileMs},
                      {"cached", host.cached},
                      {"run_ms", json::Object{{"min", host.runMs.front()},
                                              {"median", host.median()},
                                              {"p90", host.ninetieth()}}},
                      {"gflops", host.gflops}};
}

} // namespace

void CheckReport::add(const std::string &result, const Comparison &comparison) {
  passed &= comparison.passed;
  elements += comparison.elements;
  wrong += comparison.wrong;
  maxAbs = std::max(maxAbs, comparison.maxAbs);
  maxRel = std::max(maxRel, comparison.maxRel);
  results.emplace_back(result, comparison);
}

double HostReport::median() const {
  const size_t middle = runMs.size() / 2;
  return runMs.size() % 2 ? runMs[middle] : (runMs[middle - 1] + runMs[middle]) / 2;
}

double HostReport::ninetieth() const { return percentile(runMs, 0.9); }

json::Object toJson(const RunHeader &header, const CaseReport &report) {
  json::Object dims, memory;
  for (const auto &[name, size] : report.run.dims)
    dims[name] = size;
  for (const MemoryUse &use : header.memory)
    memory[use.memory] = json::Object{{"used", use.used}, {"capacity", use.capacity}};
  json::Object object{{"kernel", header.kernel->name}, {"case", report.run.name},
                      {"dims", std::move(dims)},       {"machine", header.machine->name},
                      {"variant", header.variant},     {"memory", std::move(memory)},
                      {"environment", environment()}};
  if (report.check)
    object["check"] = toJson(*report.check);
  if (report.clock)
    object["clock"] = toJson(*report.clock);
  if (report.host)
    object["host"] = toJson(*report.host);
  return object;
}

} // namespace mmk::driver
