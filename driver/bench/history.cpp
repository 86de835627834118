#include "driver/bench/history.h"

#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <tuple>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

constexpr int64_t formatVersion = 1;
using Kind = HistoryVerdict::Kind;

struct SavedHistory {
  int64_t version = 0;
  std::vector<HistoryRow> rows;
};

/// The mean of the results within the threshold plus three standard deviations; exact figures have
/// none.
double thresholdOf(const HistoryRow &row) {
  std::vector<double> values;
  for (const KeptResult &result : row.results)
    if (!result.isSlower)
      values.push_back(result.value);
  if (row.isExact())
    return values.empty() ? 0 : values.back();
  if (values.size() < History::fewestResults)
    return 0;
  const Summary summary = summarise(values);
  return summary.mean + 3 * summary.deviation;
}

} // namespace

bool fromJSON(const json::Value &value, KeptResult &result, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("value", result.value) && map.map("time", result.time) &&
         map.map("variant", result.variant) && map.map("build", result.build) &&
         map.map("slower", result.isSlower);
}

bool fromJSON(const json::Value &value, HistoryRow &row, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<KeptResult> results;
  if (!map || !map.map("kernel", row.kernel) || !map.map("machine", row.machine) ||
      !map.map("case", row.title) || !map.map("figure", row.figure) ||
      !map.map("computer", row.computer) || !map.map("threshold", row.threshold) ||
      !map.map("results", results))
    return false;
  row.results.assign(results.begin(), results.end());
  return true;
}

bool fromJSON(const json::Value &value, SavedHistory &saved, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("version", saved.version) && map.map("rows", saved.rows);
}

bool HistoryRow::isSameAs(const HistoryRow &other) const {
  const auto key = [](const HistoryRow &row) {
    return std::tie(row.kernel, row.machine, row.title, row.figure, row.computer);
  };
  return key(*this) == key(other);
}

std::vector<HistoryRow> readHistory(const std::string &file) {
  const json::Value value = readJson(file);
  SavedHistory saved;
  json::Path::Root root("history");
  if (!fromJSON(value, saved, root))
    throw UserError(fmt::format("{}: {}", file, llvm::toString(root.getError())));
  if (saved.version != formatVersion)
    throw UserError(fmt::format("{} is of version {}; this mmk reads version {}", file,
                                saved.version, formatVersion));
  return std::move(saved.rows);
}

History::History(std::string folder) : folder_(std::move(folder)) {
  makeFolder(folder_);
  if (const std::string file = folder_ + "/history.json"; llvm::sys::fs::exists(file))
    rows_ = readHistory(file);
}

std::vector<HistoryVerdict> History::add(const BenchReport &report, bool updatesThresholds) {
  HistoryRow row;
  KeptResult result;
  row.kernel = report.kernel;
  row.machine = fmt::format("{}{}{}", report.machine, report.machineSets.empty() ? "" : " with ",
                            fmt::join(report.machineSets, " "));
  result.time = timeNow();
  result.variant = report.variant;
  std::string computer;
  for (const auto &[field, value] : report.fingerprint)
    if (!isOfMmk(field))
      computer += fmt::format("{}{}: {}", computer.empty() ? "" : "; ", field, value);
    else
      result.build += fmt::format("{}{} {}", result.build.empty() ? "" : ", ", field, value);
  std::vector<HistoryVerdict> verdicts;
  const auto addFigure = [&](const char *figure, double value) {
    row.figure = figure;
    // Cycles are the same on every computer, but not by every version of the clock.
    row.computer = row.isExact() ? "clock: " + clockVersionOf(report.fingerprint) : computer;
    result.value = value;
    verdicts.push_back(add(row, result, updatesThresholds));
  };
  for (const BenchCase &each : report.cases) {
    row.title = each.title();
    if (each.cycles)
      addFigure("cycles", static_cast<double>(*each.cycles));
    if (each.kernel)
      addFigure("kernel ms", each.kernel->summary().p50);
    if (each.command)
      addFigure("command ms", each.command->summary().p50);
  }
  return verdicts;
}

HistoryVerdict History::add(HistoryRow row, const KeptResult &result, bool updatesThresholds) {
  auto known =
      std::ranges::find_if(rows_, [&](const HistoryRow &each) { return each.isSameAs(row); });
  if (known == rows_.end())
    known = rows_.insert(rows_.end(), std::move(row));
  HistoryRow &own = *known;
  own.results.push_back(result);
  if (own.results.size() > mostResults)
    own.results.pop_front();
  if (updatesThresholds) {
    for (KeptResult &each : own.results)
      each.isSlower = false;
    own.threshold = thresholdOf(own);
  }
  HistoryVerdict verdict{own.title,     own.figure,         result.value,
                         own.threshold, own.results.size(), own.isExact()};
  if (own.threshold > 0) {
    KeptResult &last = own.results.back();
    last.isSlower = !updatesThresholds && result.value > own.threshold;
    verdict.kind = last.isSlower ? Kind::slower : Kind::within;
  }
  if (!updatesThresholds)
    own.threshold = std::max(own.threshold, thresholdOf(own));
  return verdict;
}

void History::write() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream, /*IndentSize=*/1);
  out.object([&] {
    out.attribute("version", formatVersion);
    out.attributeArray("rows", [&] {
      for (const HistoryRow &row : rows_)
        out.object([&] {
          out.attribute("kernel", row.kernel);
          out.attribute("machine", row.machine);
          out.attribute("case", row.title);
          out.attribute("figure", row.figure);
          out.attribute("computer", row.computer);
          writeNumber(out, "threshold", row.threshold);
          out.attributeArray("results", [&] {
            for (const KeptResult &result : row.results)
              out.object([&] {
                writeNumber(out, "value", result.value);
                out.attribute("time", result.time);
                out.attribute("variant", result.variant);
                out.attribute("build", result.build);
                out.attribute("slower", result.isSlower);
              });
          });
        });
    });
  });
  writeFile(folder_ + "/history.json", text + "\n");
  writeFile(folder_ + "/trend.html", trendPage(rows_));
}

std::string text(const std::string &folder, const std::vector<HistoryVerdict> &verdicts) {
  Table table("<<>>><");
  table.add({"case", "figure", "now", "threshold", "results", ""});
  for (const HistoryVerdict &verdict : verdicts) {
    const auto figure = [&](double value) {
      return value == 0 ? "-" : verdict.isExact ? fmt::format("{:.0f}", value) : fourDigits(value);
    };
    table.add({verdict.title, verdict.figure, figure(verdict.value), figure(verdict.threshold),
               std::to_string(verdict.results),
               verdict.kind == Kind::slower   ? coloured("1;31", "slower")
               : verdict.kind == Kind::within ? "within"
                                              : "collecting"});
  }
  return fmt::format("\nhistory in {}:\n{}", folder, table.text());
}

} // namespace mmk::driver
