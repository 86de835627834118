// The page of `mmk bench --history`: for each row a picture of its results, one after the other,
// below the line of its threshold.
#include "driver/bench/history.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

constexpr double width = 640, height = 120, margin = 8;

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Trend of mmk bench</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { --text: #1c2024; --back: #fff; --line: #c9ced6; --dot: #0b62c4; --slow: #c92a2a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe3e8; --back: #14171a; --line: #3a424c; --dot: #6cb2ff; --slow: #ff8787; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
       max-width: 46rem; padding: 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 0.2rem; } p { margin: 0.2rem 0; font-size: 0.85rem; }
svg { width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; }
.threshold { stroke: var(--slow); stroke-dasharray: 5 4; } .course { stroke: var(--dot); fill: none; }
circle { fill: var(--dot); } circle.slower { fill: var(--slow); }
</style></head><body><h1>Trend of mmk bench</h1>
)";

std::string escaped(const std::string &text) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::printHTMLEscaped(text, stream);
  return out;
}

std::string figureOf(const HistoryRow &row, double value) {
  return row.isExact() ? fmt::format("{:.0f}", value) : fourDigits(value);
}

/// From the smallest value to the largest, the threshold among them, with a little room.
std::string picture(const HistoryRow &row) {
  double low = row.results.front().value, high = std::max(low, row.threshold);
  for (const KeptResult &result : row.results) {
    low = std::min(low, result.value);
    high = std::max(high, result.value);
  }
  const double range = high > low ? high - low : std::max(1.0, high);
  const auto y = [&](double value) {
    return height - margin - (value - low) / range * (height - 2 * margin);
  };
  const auto x = [&](size_t i) {
    const size_t steps = std::max<size_t>(1, row.results.size() - 1);
    return margin + static_cast<double>(i) / static_cast<double>(steps) * (width - 2 * margin);
  };
  std::string course, dots;
  for (size_t i = 0; i < row.results.size(); ++i) {
    const KeptResult &result = row.results[i];
    course += fmt::format("{:.1f},{:.1f} ", x(i), y(result.value));
    dots += fmt::format(
        "<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}, {}\n{}\n{}</title></circle>",
        result.isSlower ? " class=\"slower\"" : "", x(i), y(result.value),
        figureOf(row, result.value), result.time, escaped(result.variant), escaped(result.build));
  }
  const std::string line =
      row.threshold > 0
          ? fmt::format(
                "<line class=\"threshold\" x1=\"0\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", width,
                y(row.threshold), y(row.threshold))
          : "";
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">{}<polyline class=\"course\" "
                     "points=\"{}\"/>{}</svg>\n",
                     width, height, line, course, dots);
}

} // namespace

std::string trendPage(const std::vector<HistoryRow> &rows) {
  std::string page(head);
  for (const HistoryRow &row : rows) {
    const KeptResult &last = row.results.back();
    page +=
        fmt::format("<h2>{} {} on {}: {}</h2>\n{}<p>last: {} of {} results; threshold: {}</p>\n",
                    escaped(row.kernel), escaped(row.title), escaped(row.machine), row.figure,
                    picture(row), figureOf(row, last.value), row.results.size(),
                    row.threshold > 0 ? figureOf(row, row.threshold) : "not set yet");
    if (!row.computer.empty())
      page += fmt::format("<p>{}</p>\n", escaped(row.computer));
  }
  return page + "</body></html>\n";
}

} // namespace mmk::driver
