// mmk-calibration: the clock compared with published measurements. `--json` prints them as JSON,
// `--check` fails when the table in docs/calibration.md differs; with MMK_UPDATE in the environment
// it writes the table.
#include "bench/calibration/model.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mmk::calibration {
namespace {

constexpr const char *document = MMK_SOURCE_DIR "/docs/calibration.md";
constexpr const char *begin = "<!-- The table: ./dev goldens docs/calibration -->\n";
constexpr const char *end = "<!-- End of the table -->\n";

/// The task and each pipe of a row, in that order.
std::vector<std::pair<std::string_view, Value>> valuesOf(const Result &result) {
  std::vector<std::pair<std::string_view, Value>> values;
  if (result.task)
    values.emplace_back("task", *result.task);
  for (const auto &[pipe, value] : result.pipes)
    values.emplace_back(spelling(pipe), value);
  return values;
}

std::string text(const std::vector<Result> &results, const char *format) {
  std::string made;
  for (const Result &result : results)
    for (const auto &[what, value] : valuesOf(result))
      made += fmt::format(fmt::runtime(format), result.row->name, what, value.measured,
                          value.modelled, 100 * value.error());
  return made;
}

std::string json(const std::vector<Result> &results) {
  llvm::json::Array rows;
  for (const Result &result : results) {
    llvm::json::Object values;
    for (const auto &[what, value] : valuesOf(result))
      values[llvm::StringRef(what)] = llvm::json::Object{{"measured_us", value.measured},
                                                         {"modelled_us", value.modelled},
                                                         {"error", value.error()}};
    rows.push_back(llvm::json::Object{{"row", result.row->name},
                                      {"reading", result.row->reading},
                                      {"values", std::move(values)}});
  }
  llvm::json::Object means;
  for (const auto &[what, mean] : meanErrors(results))
    means[what] = mean;
  return fmt::format("{}\n",
                     llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                                {"machine", machineName},
                                                {"rows", std::move(rows)},
                                                {"mean_absolute_errors", std::move(means)}}))
                         .str());
}

std::string means(const std::vector<Result> &results, const char *format) {
  std::string made;
  for (const auto &[what, mean] : meanErrors(results))
    made += fmt::format(fmt::runtime(format), what, 100 * mean);
  return made;
}

std::string markdown(const std::vector<Result> &results) {
  std::string made = "\n| case | of | measured us | modelled us | error |\n|---|---|---|---|---|\n";
  made += text(results, "| {} | {} | {:.1f} | {:.1f} | {:+.1f} % |\n");
  made += "\n| mean absolute error of | |\n|---|---|\n" + means(results, "| {} | {:.1f} % |\n");
  made += "\n| case | read as |\n|---|---|\n";
  for (const Result &result : results)
    if (!result.row->reading.empty())
      made += fmt::format("| {} | {} |\n", result.row->name, result.row->reading);
  return made + "\n";
}

/// Writes the table into the page, or compares it with the page's; the exit code.
int inPage(const std::string &table, bool writes) {
  std::string old;
  if (auto buffer = llvm::MemoryBuffer::getFile(document))
    old = (*buffer)->getBuffer().str();
  const size_t from = old.find(begin), to = old.find(end);
  if (from == std::string::npos || to == std::string::npos) {
    llvm::errs() << document << " has no marks for the table\n";
    return 2;
  }
  const std::string page = old.substr(0, from) + begin + table + old.substr(to);
  if (!writes && page != old) {
    llvm::errs() << document << " has another table; ./dev goldens writes it\n";
    return 1;
  }
  std::error_code error;
  if (writes)
    llvm::raw_fd_ostream(document, error) << page;
  return error ? 2 : 0;
}

int run(llvm::StringRef mode) {
  auto results = model();
  if (!results) {
    llvm::errs() << llvm::toString(results.takeError()) << '\n';
    return 2;
  }
  if (mode == "--check")
    return inPage(markdown(*results), std::getenv("MMK_UPDATE") != nullptr);
  if (mode == "--json") {
    llvm::outs() << json(*results);
  } else {
    llvm::outs() << text(*results, "{:<42} {:<8} {:>9.1f} us {:>9.1f} us {:>+7.1f} %\n")
                 << "\nmean absolute errors\n"
                 << means(*results, "  {:<10} {:>5.1f} %\n");
  }
  return 0;
}

} // namespace
} // namespace mmk::calibration

int main(int argc, char **argv) { return mmk::calibration::run(argc > 1 ? argv[1] : ""); }
