#include "driver/tune_page.h"

#include "driver/count_case.h"
#include "driver/profile.h"
#include "driver/run_page.h"

#include <algorithm>

namespace mmk::driver {
namespace {

/// A page with more points would open slowly. The fastest are kept, and the front whole.
constexpr size_t mostPoints = 5000;

std::optional<bool> passedIn(const tune::Check &check) {
  if (check.state == tune::CheckState::unchecked)
    return std::nullopt;
  return check.state == tune::CheckState::passed;
}

report::Point pointOf(const tune::VariantResult &variant) {
  report::Point point;
  point.variant = variant.variant;
  point.cycles = variant.measure.cycles;
  point.microseconds = variant.measure.microseconds;
  point.trafficBytes = variant.measure.trafficBytes;
  point.memoryBytes = variant.measure.onChipBytes();
  point.passed = passedIn(variant.check);
  return point;
}

void addVariants(const tune::CaseResult &result, report::Case &shown) {
  for (const auto *list : {&result.variants, &result.failed})
    for (const tune::VariantResult &variant : *list)
      if (shown.variants.size() < mostPoints || variant.isOnFront)
        shown.variants.push_back(pointOf(variant));
  shown.variantsInAll = static_cast<int64_t>(result.variants.size() + result.failed.size());
}

void addCase(Session &session, const tune::CaseResult &result, const RunCase &run, RunPage &page,
             Progress &progress) {
  const Kernel &kernel = session.kernel();
  const Machine &machine = session.machine();
  Session chosen = session.choosing(result.variants.front().variant);
  Lowering lowering = chosen.lower(kernel, LoweringLevel::aicore);
  const RunHeader header{&kernel, &machine, lowering.variant, memoryUse(lowering.kernel()),
                         session.program().file.get()};
  CaseReport report;
  report.run = run;
  Recorder recorder = Profile::recorder();
  TrafficMeter traffic(&recorder);
  report.clock = countCase(lowering, machine, kernel, run, &traffic);
  report::Case &shown =
      page.add(chosen, header, report, recorder.phases(), traffic.report(), progress);
  shown.passed = shown.chosen.passed = passedIn(result.variants.front().check);
  addVariants(result, shown);
}

} // namespace

std::string pageOf(Session &session, const tune::TuneResult &result,
                   const std::vector<RunCase> &runs) {
  RunPage page("mmk tune", session, session.kernel());
  Progress progress;
  for (size_t i = 0; i < result.cases.size(); ++i)
    if (!result.cases[i].variants.empty())
      addCase(session, result.cases[i], runs[i], page, progress);
  return page.html();
}

} // namespace mmk::driver
