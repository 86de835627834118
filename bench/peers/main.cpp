// mmk-peers: mmk and other libraries, interleaved in one process.
#include "bench/ceilings.h"
#include "bench/page.h"
#include "bench/peers/contenders.h"
#include "bench/peers/own_cores.h"
#include "bench/peers/report.h"
#include "bench/peers/turns.h"
#include "bench/peers/versions_of.h"
#include "runtime/threads.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <ctime>
#include <fmt/format.h>
#include <regex>

namespace mmk::peers {
namespace {

constexpr const char *page = MMK_SOURCE_DIR "/docs/bench.md",
                     *data = MMK_SOURCE_DIR "/docs/bench.json";
constexpr const char *begin = "<!-- The tables: mmk-peers --update -->\n",
                     *end = "<!-- End of the tables -->\n";

/// Seconds to wait for cores that other processes use, in all.
constexpr double patienceSeconds = 300;

bool update(const std::vector<Row> &rows) {
  if (!replaceTables(page, begin, end, markdown(rows)))
    return false;
  std::error_code error;
  llvm::raw_fd_ostream(data, error) << json(rows);
  return true;
}

int run(int argc, char **argv) {
  CLI::App app("mmk and other libraries, interleaved in one process");
  std::string filter, jsonFile;
  bool isQuick = false, updates = false, lists = false;
  double seconds = 5;
  app.add_option("REGEX", filter, "only rows whose name matches");
  app.add_flag("--quick", isQuick, "a second a row");
  app.add_option("--seconds", seconds, "of a row, without its check; at least five rounds")
      ->check(CLI::PositiveNumber);
  app.add_option("--json", jsonFile, "writes the figures to a file");
  app.add_flag("--update", updates, "writes all tables into docs/bench.md and docs/bench.json");
  app.add_flag("--list", lists, "the names of the rows");
  CLI11_PARSE(app, argc, argv);
  if (updates && (!filter.empty() || isQuick)) {
    fmt::print(stderr, "--update is for all rows, with all of their time\n");
    return 2;
  }

  std::vector<RowToMeasure> chosen;
  for (RowToMeasure &row : allRows())
    if (std::regex_search(row.name, std::regex(filter)))
      chosen.push_back(std::move(row));
  OnOwnCores cores(patienceSeconds);
  std::vector<Row> rows;
  bool isRight = true;
  for (const RowToMeasure &each : chosen) {
    if (lists) {
      fmt::print("{}\n", each.name);
      continue;
    }
    const Row &row = rows.emplace_back(cores.measure(each, isQuick ? 1 : seconds));
    fmt::print("[{}/{}] {}", rows.size(), chosen.size(), progressText(row));
    std::fflush(stdout);
    for (const Measured &contender : row.contenders)
      isRight &= contender.wrong.empty();
  }
  if (!rows.empty())
    fmt::print("{}", markdown(rows));
  if (!jsonFile.empty()) {
    std::error_code error;
    llvm::raw_fd_ostream(jsonFile, error) << json(rows);
  }
  if (updates && !update(rows))
    return 2;
  return isRight ? 0 : 1;
}

} // namespace

std::vector<RowToMeasure> allRows() {
  std::vector<RowToMeasure> rows = productRows();
  for (auto *more : {elementwiseRows, emulatedRows})
    for (RowToMeasure &row : more())
      rows.push_back(std::move(row));
  return rows;
}

std::vector<std::pair<std::string, std::string>> versions() {
  static const std::string when = [] {
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return std::string(text);
  }();
  const Ceilings ceilings = measureCeilings();
  return {{"measured", when},
          {"CPU", fmt::format("{}, {} to use", cpuName(), availableThreads())},
          {"ceilings of one core at the end",
           fmt::format("f32 {:.0f} GFLOP/s, `vdpbf16ps` {:.0f}, `vpdpbusd` {:.0f} GOP/s",
                       ceilings.f32, ceilings.bf16, ceilings.i8)},
          {"mmk", MMK_VERSION ", LLVM " LLVM_VERSION_STRING},
          {"oneDNN", oneDnnVersion()},
          {"OpenBLAS", openBlasVersion()},
          {"BLIS", blisVersion()},
          {"Eigen", eigenVersion()},
          {"libxsmm", libxsmmVersion()},
          {"Halide", "14.0.0, ahead of time"}};
}

} // namespace mmk::peers

int main(int argc, char **argv) {
  mmk::peers::keepOpenMpShort(argv);
  return mmk::peers::run(argc, argv);
}
