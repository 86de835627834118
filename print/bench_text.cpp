// The report of `mmk bench` for people.
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "print/bench_report.h"

#include <cmath>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

std::vector<std::string> rowOf(const BenchCase &of, const std::string &what, const Series &series) {
  const Summary summary = series.summary();
  const size_t outliers = summary.outliersBelow + summary.outliersAbove;
  return {of.title(),
          what,
          std::to_string(series.samples.size() * static_cast<size_t>(series.runsPerSample)),
          fourDigits(summary.min),
          fourDigits(summary.mean),
          fourDigits(summary.p50),
          fourDigits(summary.p90),
          fourDigits(summary.p99),
          fmt::format("{:.1f} %", 100 * summary.relativeDeviation()),
          std::to_string(outliers),
          what == "kernel" ? fourDigits(of.operations / (summary.p50 * 1e6)) : ""};
}

std::string noteOn(const BenchCase &of, const std::string &what, const Series &series) {
  if (series.stoppedBy == StoppedBy::deviation)
    return "";
  const Summary summary = series.summary();
  return fmt::format("{}: {}: stopped by the limit of {}, with a relative standard deviation of "
                     "{:.1f} %\n",
                     of.title(), what, nameOf(series.stoppedBy), 100 * summary.relativeDeviation());
}

} // namespace

std::string fourDigits(double value) {
  if (!(value > 0) || !std::isfinite(value))
    return fmt::format("{}", value);
  const int before = static_cast<int>(std::floor(std::log10(value))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(4 - before, 0, 9));
}

std::string BenchCase::title() const {
  if (!name.empty())
    return name;
  std::string text;
  for (const auto &[dimension, size] : dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dimension, size);
  return text;
}

std::string text(const BenchReport &report) {
  std::string text =
      fmt::format("{} on {}: {}\n", coloured("1", report.kernel), report.machine, report.variant);
  for (const ConstantLayout &constant : report.constants)
    text += textOf(constant);
  Table clock("<>>"), times("<<>>>>>>>>>");
  clock.add({"case", "cycles", "time us"});
  times.add({"case", "ms of", "runs", "min", "mean", "p50", "p90", "p99", "deviation", "outliers",
             "GFLOP/s"});
  bool counts = false, measures = false;
  std::string notes;
  for (const BenchCase &each : report.cases) {
    if (each.cycles) {
      clock.add(
          {each.title(), std::to_string(*each.cycles), fmt::format("{:.2f}", each.microseconds)});
      counts = true;
    }
    for (const auto &[what, series] :
         {std::pair("kernel", &each.kernel), std::pair("command", &each.command)})
      if (*series) {
        times.add(rowOf(each, what, **series));
        notes += noteOn(each, what, **series);
        measures = true;
      }
    for (const std::string &note : each.notes)
      notes += each.title() + ": " + note + "\n";
  }
  if (counts)
    text += clock.text() + (measures ? "\n" : "");
  if (measures) {
    text += times.text();
    for (const auto &[name, value] : report.fingerprint)
      text +=
          fmt::format("{}{} {}", name == report.fingerprint.front().first ? "" : "; ", name, value);
    text += "\n";
  }
  return text + notes;
}

} // namespace mmk::driver
