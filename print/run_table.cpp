// The report of a run for people.
#include "backend/backend.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "print/run_report.h"
#include "print/watch_report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::driver {
namespace {

std::string nameOf(const RunCase &run) { return run.name.empty() ? "-" : run.name; }

std::string dimsOf(const Kernel &kernel, const RunCase &run) {
  std::string text;
  for (const std::string &dimension : kernel.shownDimensions())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dimension, run.dims.at(dimension));
  return text;
}

/// In GFLOP/s, of the median run, as is the time beside it.
std::string speedOf(const HostReport &host) {
  const double speed = host.gflops * host.runMs.front() / host.median();
  return speed < 10 ? fmt::format("{:.2g}", speed) : fmt::format("{:.1f}", speed);
}

void printLine(const std::string &text) {
  print(text.substr(0, text.find_last_not_of(' ') + 1) + "\n");
}

/// "c[1, 2] = 0.5, expected 0.25"
std::string element(const std::string &result, const std::vector<int64_t> &place, double got,
                    double expected) {
  return fmt::format("{}[{}] = {:.9g}, expected {:.9g}", result, fmt::join(place, ", "), got,
                     expected);
}

/// By how much the first wrong element may differ, and why: "; it may differ by 3e-05: rounding
/// 1e-05, rtol 1e-05, atol 1e-05". Nothing when its difference is undefined.
std::string allowance(const Check &check, const Comparison &comparison) {
  if (!std::isfinite(comparison.firstGot) || !std::isfinite(comparison.firstExpected))
    return "";
  const double relative = check.rtol * std::fabs(comparison.firstExpected);
  const std::string rounding =
      check.rounding ? fmt::format("rounding {:.3g}, ", comparison.firstRounding) : "";
  return fmt::format("; it may differ by {:.3g}: {}rtol {:.3g}, atol {:.3g}",
                     comparison.firstRounding + relative + check.atol, rounding, relative,
                     check.atol);
}

/// "conditions skip 43.5 % of 12582912 elements; 43.6 % are computed without them"
std::string conditionsSummary(const CoveredElements &covered) {
  const double percent = 100.0 / static_cast<double>(covered.all);
  return fmt::format(
      "conditions skip {:.1f} % of {} elements; {:.1f} % are computed without them{}",
      percent * static_cast<double>(covered.skipped), covered.all,
      percent * static_cast<double>(covered.full),
      covered.isAssumed ? "; lengths that are not known exclude nothing" : "");
}

std::string failure(const Kernel &kernel, const RunCase &run, const std::string &result,
                    const Comparison &comparison) {
  const std::string where = run.name.empty() ? dimsOf(kernel, run) : run.name;
  std::string text;
  if (comparison.errorRatio > kernel.check.maxErrorRatio)
    text += fmt::format(
        "{}: {} of {} elements of {} are wrong ({:.3g}, at most {:.3g} are "
        "allowed); the first: {}{}\n",
        where, comparison.wrong, comparison.elements, result, comparison.errorRatio,
        kernel.check.maxErrorRatio,
        element(result, comparison.firstWrong, comparison.firstGot, comparison.firstExpected),
        allowance(kernel.check, comparison));
  else
    text +=
        fmt::format("{}: {} of {} sampled elements of {} are within rtol and atol, but differ by "
                    "more than rounding explains; the first: {}; rounding {:.3g}\n",
                    where, comparison.unexplained, comparison.sampled, result,
                    element(result, comparison.firstUnexplained, comparison.unexplainedGot,
                            comparison.unexplainedExpected),
                    comparison.unexplainedRounding);
  return text;
}

} // namespace

std::string originOf(const std::string &tunedFor, const std::vector<std::string> &reasons) {
  std::string text;
  if (!tunedFor.empty())
    text += fmt::format("the best variant that is known for {}, from mmk tune\n", tunedFor);
  for (const std::string &reason : reasons)
    text += fmt::format("chosen for {}\n", reason);
  return text;
}

RunTable::RunTable(const RunHeader &header, const std::vector<RunCase> &runs,
                   const RunOptions &options)
    : header_(header), checks_(!options.countOnly && !options.noCheck),
      clocks_(backendOf(header.machine->kind).hasClock()), runsOnHost_(!options.countOnly),
      watches_(options.watch) {
  for (const RunCase &run : runs) {
    nameWidth_ = std::max(nameWidth_, nameOf(run).size());
    dimsWidth_ = std::max(dimsWidth_, dimsOf(*header.kernel, run).size());
  }
}

void RunTable::printHead() const {
  std::string text = fmt::format("{} on {}: {}\n", coloured("1", header_.kernel->name),
                                 header_.machine->name, header_.variant);
  text += originOf(header_.tunedFor, header_.reasons);
  if (header_.uncheckedUs > 0)
    text += fmt::format("a variant of {:.2f} us is known but was never checked: mmk tune --check "
                        "winner\n",
                        header_.uncheckedUs);
  for (const ConstantLayout &constant : header_.constants)
    text += textOf(constant);
  text += fmt::format("{:<{}}  {:<{}}", "case", nameWidth_, "dims", dimsWidth_);
  if (checks_)
    text += "  check";
  if (watches_)
    text += "  watch";
  if (clocks_)
    text += fmt::format("  {:>11}  {:>11}  {:<7}  {:>5}", "cycles", "time us", "bound", "cores");
  if (runsOnHost_)
    text += fmt::format("  {:>9}  {:>7}", "host ms", "GFLOP/s");
  printLine(text);
}

void RunTable::printRow(const CaseReport &report) const {
  std::string text = fmt::format("{:<{}}  {:<{}}", nameOf(report.run), nameWidth_,
                                 dimsOf(*header_.kernel, report.run), dimsWidth_);
  if (report.check)
    text += report.check->passed ? coloured("32", "  ok   ") : coloured("1;31", "  wrong");
  if (report.watch)
    text += report.watch->faults.empty() ? coloured("32", "  ok   ") : coloured("1;31", "  wrong");
  if (report.clock)
    text += fmt::format(
        "  {:>11}  {:>11.2f}  {:<7}  {:>5}", report.clock->cycles, report.clock->microseconds,
        report.clock->cores == 0 ? "-" : spelling(report.clock->bound), report.clock->cores);
  if (report.host)
    text += fmt::format("  {:>9.3f}  {:>7}", report.host->median(), speedOf(*report.host));
  printLine(text);
}

void RunTable::printNotes(const std::vector<CaseReport> &reports) const {
  for (const CaseReport &report : reports)
    if (report.clock && report.clock->covered.all > 0)
      print(nameOf(report.run) + ": " + conditionsSummary(report.clock->covered) + "\n");
  for (const CaseReport &report : reports)
    if (report.watch)
      print(nameOf(report.run) + ": " + watchSummary(*report.watch) + "\n" +
            hazardsText(*report.watch, *header_.file, showsColours(Stream::output)));
  for (const CaseReport &report : reports)
    if (report.check && !report.check->passed)
      for (const auto &[result, comparison] : report.check->results)
        if (!comparison.passed)
          print(failure(*header_.kernel, report.run, result, comparison));
}

} // namespace mmk::driver
