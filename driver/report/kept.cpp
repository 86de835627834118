#include "driver/report/kept.h"

#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/json.h"
#include "print/run_report.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::driver {
namespace {

enum class KeptKind { run, tune, guided, bench, history };

constexpr std::string_view expectedKinds =
    "expected what mmk run, mmk tune or mmk bench writes with --json, or the history.json of "
    "mmk bench --history";

/// Commands with JSON that a report has no use for, each with a field of it.
struct OtherKind {
  std::string_view field, command;
};
constexpr OtherKind otherKinds[] = {
    {"roofline", "mmk explain"}, {"changes", "mmk compare"}, {"traceEvents", "mmk run --profile"}};

/// Tells the kinds apart by the fields that only one of them has.
KeptKind keptKindOf(const std::string &file, const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  if (object && object->get("version") && object->get("rows"))
    return KeptKind::history;
  if (const llvm::json::Array *array = value.getAsArray(); array && !array->empty())
    object = array->front().getAsObject();
  if (object)
    for (const OtherKind &other : otherKinds)
      if (object->get(other.field))
        throw UserError(fmt::format("{} is of {}, which a report does not read; {}", file,
                                    other.command, expectedKinds));
  if (object && !value.getAsObject()) {
    if (object->get("search"))
      return KeptKind::tune;
    if (object->get("rounds"))
      return KeptKind::guided;
    if (object->getArray("machine_set"))
      return KeptKind::bench;
    if (object->get("memory") && object->get("environment"))
      return KeptKind::run;
  }
  throw UserError(fmt::format("{}: {}", file, expectedKinds));
}

std::string dimsText(const std::map<std::string, int64_t> &dims) {
  std::string text;
  for (const auto &[name, size] : dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size);
  return text;
}

/// "ascend910b3 with hbm.bytes_per_second = 1e12"
std::string machineWith(const std::string &machine,
                        const std::map<std::string, std::string> &sets) {
  std::string text = machine;
  for (const auto &[path, value] : sets)
    text += fmt::format("{}{} = {}", text == machine ? " with " : ", ", path, value);
  return text;
}

std::string machineWith(const std::string &machine, const std::vector<std::string> &sets) {
  return fmt::format("{}{}{}", machine, sets.empty() ? "" : " with ", fmt::join(sets, " "));
}

class Reader {
public:
  explicit Reader(const ReportSubject &subject) : subject_(subject) {}

  void read(const std::string &path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
      return readFile(path);
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".json")
        files.push_back(entry.path().string());
    if (files.empty())
      throw UserError(fmt::format("{} has no .json file; {}", path, expectedKinds));
    std::ranges::sort(files);
    for (const std::string &file : files)
      try {
        readFile(file);
      } catch (const UserError &problem) {
        llvm::StringRef text(problem.what());
        text.consume_front("error: ");
        kept_.skipped.push_back(text.rtrim().str());
      }
  }

  KeptResults take() { return std::move(kept_); }

private:
  void readFile(const std::string &file) {
    if (std::ranges::find(kept_.files, file) != kept_.files.end())
      return;
    isUsed_ = false;
    others_.clear();
    switch (keptKindOf(file, readJson(file))) {
    case KeptKind::run:
      for (const SavedCase &each : readSavedRun(file)) {
        expectSubject(file, each.kernel, machineWith(each.side.machine, each.side.machineSet),
                      ownName());
        add(file, each, each.dims, kept_.runs);
      }
      break;
    case KeptKind::tune:
      for (const SavedTune &each : readSavedTune(file))
        addSearch(file, each, kept_.tunes);
      break;
    case KeptKind::guided:
      for (const SavedGuided &each : readSavedGuided(file))
        addSearch(file, each, kept_.guided);
      break;
    case KeptKind::bench:
      addBench(file);
      break;
    case KeptKind::history:
      addHistory(file);
      break;
    }
    if (!isUsed_)
      throw UserError(fmt::format("{} has no case of this report: it has {}; the report has {}",
                                  file, fmt::join(others_, "; "), fmt::join(titles(), "; ")));
    kept_.files.push_back(file);
  }

  std::vector<std::string> titles() const {
    std::vector<std::string> all;
    for (const auto &shape : subject_.shapes)
      all.push_back(dimsText(shape));
    return all;
  }

  std::string ownName() const {
    return machineWith(subject_.machine->name, changedFigures(*subject_.machine));
  }

  /// `own`: the subject's machine, in the form of this kind of file.
  void expectSubject(const std::string &file, const std::string &kernel, const std::string &machine,
                     const std::string &own) const {
    if (kernel != subject_.kernel) {
      const bool isBeside = std::ranges::find(subject_.kernels, kernel) != subject_.kernels.end();
      throw UserError(fmt::format("{} is about '{}', not about '{}'{}", file, kernel,
                                  subject_.kernel,
                                  isBeside ? fmt::format("; --kernel {} reports it", kernel) : ""));
    }
    if (machine != own)
      throw UserError(
          fmt::format("{} is about {}, not about {}; --machine and --machine-set choose "
                      "what is reported",
                      file, machine, own));
  }

  template <typename Result>
  void add(const std::string &file, const Result &result,
           const std::map<std::string, int64_t> &dims, std::vector<FromFile<Result>> &into) {
    if (std::ranges::find(subject_.shapes, dims) == subject_.shapes.end()) {
      others_.push_back(dimsText(dims));
      return;
    }
    isUsed_ = true;
    into.push_back({file, result});
  }

  template <typename Result>
  void addSearch(const std::string &file, const Result &each, std::vector<FromFile<Result>> &into) {
    expectSubject(file, each.kernel, machineWith(each.machine, each.machineSet), ownName());
    add(file, each, each.dims, into);
  }

  void addBench(const std::string &file) {
    BenchReport report = readBenchReport(file);
    expectSubject(file, report.kernel, machineWith(report.machine, report.machineSets),
                  machineWith(subject_.machine->name, subject_.machineSets));
    std::vector<BenchCase> cases = std::move(report.cases);
    for (BenchCase &each : cases) {
      report.cases = {std::move(each)};
      add(file, report, report.cases.front().dims, kept_.benches);
    }
  }

  /// A folder of `mmk bench` has rows of many kernels and machines.
  void addHistory(const std::string &file) {
    const std::string own = machineWith(subject_.machine->name, subject_.machineSets);
    for (HistoryRow &row : readHistory(file))
      if (row.kernel == subject_.kernel && row.machine == own &&
          std::ranges::find(subject_.titles, row.title) != subject_.titles.end()) {
        isUsed_ = true;
        kept_.histories.push_back({file, std::move(row)});
      } else {
        others_.push_back(fmt::format("{} {} on {}", row.kernel, row.title, row.machine));
      }
  }

  const ReportSubject &subject_;
  KeptResults kept_;
  bool isUsed_ = false;
  std::vector<std::string> others_; ///< cases of the file that are not in the report
};

} // namespace

KeptResults readKept(const std::vector<std::string> &paths, const ReportSubject &subject) {
  Reader reader(subject);
  for (const std::string &path : paths)
    reader.read(path);
  return reader.take();
}

} // namespace mmk::driver
