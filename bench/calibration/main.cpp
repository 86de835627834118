// mmk-calibration: the clock compared with published measurements. `--json` prints them as JSON,
// `--check` fails when the table in docs/calibration.md differs; with MMK_UPDATE in the environment
// it writes the table. `PATH=VALUE` changes a figure of every machine.
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

struct Results {
  std::vector<Result> results;
  std::vector<std::vector<Result>> without; ///< each of the effects
};

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
      made += fmt::format(fmt::runtime(format), result.row->name, result.row->machine.substr(6),
                          what, value.measured, value.modelled, 100 * value.error());
  return made;
}

/// The errors of the classes.
std::string classes(const std::vector<Result> &results, const char *format) {
  std::string made;
  for (Kind kind : allKinds) {
    const Errors errors = errorsOf(results, kind);
    made += fmt::format(fmt::runtime(format), nameOf(kind), errors.rows, 100 * errors.absolute,
                        100 * errors.bias);
  }
  return made;
}

/// The errors of the classes that each effect changes, without it.
std::string effectsOnClasses(const Results &all, const char *format) {
  std::string made;
  for (auto [effect, results] : llvm::zip(effects(), all.without))
    for (Kind kind : allKinds) {
      const Errors with = errorsOf(all.results, kind), without = errorsOf(results, kind);
      if (with.absolute != without.absolute)
        made += fmt::format(fmt::runtime(format), effect.name, nameOf(kind), 100 * with.absolute,
                            100 * with.bias, 100 * without.absolute, 100 * without.bias);
    }
  return made;
}

/// The tasks that each effect changes by more than 1 %.
std::string effectsOnTasks(const Results &all, const char *format) {
  std::string made;
  for (auto [effect, results] : llvm::zip(effects(), all.without))
    for (auto [with, without] : llvm::zip(all.results, results))
      if (with.task && std::abs(with.task->modelled / without.task->modelled - 1) > 0.01)
        made += fmt::format(fmt::runtime(format), effect.name, with.row->name, with.task->measured,
                            with.task->modelled, 100 * with.task->error(), without.task->modelled,
                            100 * without.task->error());
  return made;
}

std::string json(const Results &all) {
  llvm::json::Array rows;
  for (const Result &result : all.results) {
    llvm::json::Object values;
    for (const auto &[what, value] : valuesOf(result))
      values[llvm::StringRef(what)] = llvm::json::Object{{"measured_us", value.measured},
                                                         {"modelled_us", value.modelled},
                                                         {"error", value.error()}};
    rows.push_back(llvm::json::Object{{"row", result.row->name},
                                      {"class", llvm::StringRef(nameOf(result.row->kind))},
                                      {"machine", result.row->machine},
                                      {"assumed", result.row->reading},
                                      {"values", std::move(values)}});
  }
  llvm::json::Object means, pipes;
  for (Kind kind : allKinds) {
    const Errors errors = errorsOf(all.results, kind);
    means[llvm::StringRef(nameOf(kind))] =
        llvm::json::Object{{"mean_absolute_error", errors.absolute}, {"bias", errors.bias}};
  }
  for (const auto &[what, mean] : pipeErrors(all.results))
    pipes[what] = mean;
  return fmt::format(
      "{}\n",
      llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{{"rows", std::move(rows)},
                                                                  {"classes", std::move(means)},
                                                                  {"pipes", std::move(pipes)}}))
          .str());
}

std::string pipes(const std::vector<Result> &results, const char *format) {
  std::string made;
  for (const auto &[what, mean] : pipeErrors(results))
    made += fmt::format(fmt::runtime(format), what, 100 * mean);
  return made;
}

std::string markdown(const Results &all) {
  std::string made = "\n| class | rows | mean absolute error | bias |\n|---|---|---|---|\n";
  made += classes(all.results, "| {} | {} | {:.1f} % | {:+.1f} % |\n");
  made += "\n| effect | class | mean absolute error | bias | without it | bias |\n"
          "|---|---|---|---|---|---|\n";
  made += effectsOnClasses(all, "| {} | {} | {:.1f} % | {:+.1f} % | {:.1f} % | {:+.1f} % |\n");
  made += "\n| case | on | of | measured us | modelled us | error |\n|---|---|---|---|---|---|\n";
  made += text(all.results, "| {} | {} | {} | {:.1f} | {:.1f} | {:+.1f} % |\n");
  made += "\n| mean absolute error of the products' | |\n|---|---|\n" +
          pipes(all.results, "| {} | {:.1f} % |\n");
  made += "\n| effect | case | measured us | modelled us | error | without it | error |\n"
          "|---|---|---|---|---|---|---|\n";
  made += effectsOnTasks(all, "| {} | {} | {:.1f} | {:.1f} | {:+.1f} % | {:.1f} | {:+.1f} % |\n");
  made += "\n| case | assumed |\n|---|---|\n";
  for (const Result &result : all.results)
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

int run(llvm::StringRef mode, const std::vector<MachineOverride> &overrides) {
  llvm::Expected<std::vector<Result>> results = model(overrides);
  if (!results) {
    llvm::errs() << llvm::toString(results.takeError()) << '\n';
    return 2;
  }
  Results all = {std::move(*results), {}};
  for (const Effect &effect : effects()) {
    std::vector<MachineOverride> without = overrides;
    without.insert(without.end(), effect.without.begin(), effect.without.end());
    llvm::Expected<std::vector<Result>> changed = model(without);
    if (!changed) {
      llvm::errs() << llvm::toString(changed.takeError()) << '\n';
      return 2;
    }
    all.without.push_back(std::move(*changed));
  }
  if (mode == "--check")
    return inPage(markdown(all), std::getenv("MMK_UPDATE") != nullptr);
  if (mode == "--json") {
    llvm::outs() << json(all);
  } else {
    llvm::outs() << text(all.results, "{:<42} {:<5} {:<8} {:>9.1f} us {:>9.1f} us {:>+7.1f} %\n")
                 << "\nmean absolute errors of the products\n"
                 << pipes(all.results, "  {:<10} {:>5.1f} %\n")
                 << "\nmean absolute errors, biases\n"
                 << classes(all.results, "  {:<27} {:>2} rows {:>5.1f} % {:>+6.1f} %\n")
                 << "\nthe same with and without each effect\n"
                 << effectsOnClasses(
                        all, "  {:<36} {:<27} {:>5.1f} % {:>+6.1f} %  {:>5.1f} % {:>+6.1f} %\n");
  }
  return 0;
}

} // namespace
} // namespace mmk::calibration

int main(int argc, char **argv) {
  llvm::StringRef mode;
  std::vector<mmk::MachineOverride> overrides;
  for (int i = 1; i < argc; ++i) {
    const auto [path, value] = llvm::StringRef(argv[i]).split('=');
    if (value.empty())
      mode = argv[i];
    else
      overrides.push_back({path.str(), value.str()});
  }
  return mmk::calibration::run(mode, overrides);
}
