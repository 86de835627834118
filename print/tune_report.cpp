#include "print/tune_report.h"

#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

using tune::CaseResult, tune::CheckState, tune::Measure, tune::TuneResult, tune::VariantResult;

/// Rows of each case in summary.md.
constexpr size_t rowsOfPage = 20;

std::string nameOf(const CaseResult &each) { return each.name.empty() ? "-" : each.name; }

std::string dimsOf(const CaseResult &each) {
  std::string text;
  for (const auto &[name, value] : each.dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string passedIn(const tune::Check &check) {
  return check.state == CheckState::passed   ? "yes"
         : check.state == CheckState::failed ? "no"
                                             : "unchecked";
}

std::string checkInTable(const CaseResult &each) {
  if (each.variants.empty())
    return coloured("1;31", each.failed.empty() ? "none " : "wrong");
  return each.variants.front().check.state == CheckState::passed ? coloured("32", "ok   ")
                                                                 : "-    ";
}

double ratio(const Measure &measure, size_t pipe) {
  return measure.cycles == 0
             ? 0
             : static_cast<double>(measure.busyCycles[pipe]) / static_cast<double>(measure.cycles);
}

/// "cube 82 %, mte2 91 %": the pipes that are busy a tenth of the time and more.
std::string pipesOf(const Measure &measure) {
  std::string text;
  for (size_t i = 0; i < allPipes.size(); ++i)
    if (ratio(measure, i) >= 0.1)
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", spelling(allPipes[i]),
                          100 * ratio(measure, i));
  return text;
}

std::string counts(const TuneResult &result) {
  std::string text = fmt::format("counted {} new variants", result.counted);
  if (result.remembered > 0)
    text += fmt::format(", {} known before", result.remembered);
  if (result.refused > 0)
    text += fmt::format(", {} do not fit the machine", result.refused);
  if (result.bounded > 0)
    text += fmt::format(", {} cannot win by what those take", result.bounded);
  text += fmt::format("; the space has {:.0f} points", result.space);
  if (result.isInterrupted)
    text += ", of which some were not looked at: interrupted";
  else if (result.isExhaustive)
    text += ", all decided";
  if (result.decidedBefore > 0)
    text += result.decidedBefore == result.points
                ? " by an earlier search"
                : fmt::format("; an earlier search had decided {} of the {} that keep the rules",
                              result.decidedBefore, result.points);
  return text + "\n";
}

} // namespace

std::string text(const TuneResult &result) {
  std::string text = fmt::format("{} on {}\n", coloured("1", result.kernel), result.machine);
  const bool onHost = !result.cases.empty() && !result.cases.front().variants.empty() &&
                      result.cases.front().variants.front().measure.cycles == 0;
  Table table(onHost ? "<<<>>><" : "<<<>>>><");
  std::vector<std::string> head = {"case", "dims", "check"};
  if (!onHost)
    head.push_back("cycles");
  head.insert(head.end(), {"time us", "default us", "saved", onHost ? "" : "bound"});
  table.add(head);
  for (const CaseResult &each : result.cases) {
    std::vector<std::string> row = {nameOf(each), dimsOf(each), checkInTable(each)};
    if (!each.variants.empty()) {
      const Measure &best = each.variants.front().measure;
      if (!onHost)
        row.push_back(std::to_string(best.cycles));
      row.push_back(fmt::format("{:.2f}", best.microseconds));
      if (each.byDefault) {
        const double byDefault = each.byDefault->measure.microseconds;
        row.push_back(fmt::format("{:.2f}", byDefault));
        row.push_back(fmt::format("{:.1f} %", 100 * (1 - best.microseconds / byDefault)));
      } else {
        row.insert(row.end(), {"none", ""});
      }
      row.push_back(onHost ? "" : std::string(spelling(best.bound())));
    }
    table.add(row);
  }
  text += table.text();
  for (const CaseResult &each : result.cases)
    if (!each.variants.empty())
      text += fmt::format("{}: {}\n", nameOf(each), each.variants.front().variant);
  int64_t merged = 0;
  for (const CaseResult &each : result.cases)
    merged += each.merged;
  if (merged > 0)
    text += fmt::format("{} are the same as another, which has no cores without work, or another "
                        "order of one tile each\n",
                        merged);
  return text + counts(result);
}

namespace {

void write(json::OStream &out, const Measure &measure) {
  if (measure.cycles > 0)
    out.attribute("cycles", measure.cycles);
  writeNumber(out, "time_us", measure.microseconds);
  if (measure.cycles > 0) {
    out.attribute("cores", measure.cores);
    out.attribute("bound", llvm::StringRef(spelling(measure.bound())));
    out.attribute("traffic_bytes", measure.trafficBytes);
    out.attributeObject("pipes", [&] {
      for (size_t i = 0; i < allPipes.size(); ++i)
        out.attributeObject(spelling(allPipes[i]), [&] {
          out.attribute("busy_cycles", measure.busyCycles[i]);
          writeNumber(out, "ratio", ratio(measure, i));
        });
    });
  }
  out.attributeObject("memory", [&] {
    for (size_t i = 0; i < allMemories.size(); ++i)
      if (measure.memoryBytes[i] > 0)
        out.attribute(spelling(allMemories[i]), measure.memoryBytes[i]);
  });
}

void write(json::OStream &out, const VariantResult &variant) {
  out.attribute("variant", variant.variant);
  write(out, variant.measure);
  out.attribute("front", variant.isOnFront);
  if (variant.check.state == CheckState::unchecked)
    return;
  out.attributeObject("check", [&] {
    out.attribute("passed", variant.check.state == CheckState::passed);
    if (!variant.check.data.empty())
      out.attribute("data", variant.check.data);
    writeNumber(out, "error_ratio", variant.check.errorRatio);
    writeNumber(out, "max_abs_error", variant.check.maxAbsError);
  });
}

} // namespace

void write(json::OStream &out, const TuneResult &result, const CaseResult &each) {
  out.attribute("kernel", result.kernel);
  out.attribute("case", each.name);
  writeDims(out, each.dims);
  out.attribute("machine", result.machine);
  if (!each.variants.empty())
    out.attributeObject("best", [&] { write(out, each.variants.front()); });
  if (each.byDefault)
    out.attributeObject("default", [&] { write(out, *each.byDefault); });
  out.attributeObject("search", [&] {
    writeNumber(out, "space", result.space);
    out.attribute("exhaustive", result.isExhaustive);
    out.attribute("interrupted", result.isInterrupted);
    out.attribute("points", result.points);
    out.attribute("counted", result.counted);
    out.attribute("remembered", result.remembered);
    out.attribute("refused", result.refused);
    out.attribute("bounded", result.bounded);
    out.attribute("decided_before", result.decidedBefore);
    out.attribute("merged", each.merged);
    writeNumber(out, "seconds", result.seconds);
  });
  for (const auto &[name, variants] :
       {std::pair("variants", &each.variants), std::pair("failed", &each.failed)})
    out.attributeArray(name, [&, list = variants] {
      for (const VariantResult &variant : *list)
        out.object([&] { write(out, variant); });
    });
}

std::string summaryTable(const TuneResult &result) {
  std::string text = "case,dims,rank,variant,cycles,time_us,cores,bound";
  for (Pipe pipe : allPipes)
    text += fmt::format(",{}_ratio", spelling(pipe));
  for (Memory memory : allMemories)
    text += fmt::format(",{}_bytes", spelling(memory));
  text += ",traffic_bytes,front,error_ratio,passed\n";
  const auto add = [&](const CaseResult &each, const VariantResult &variant, size_t rank) {
    const Measure &it = variant.measure;
    text += fmt::format("{},{},{},\"{}\",{},{},{},{}", each.name, dimsOf(each), rank,
                        variant.variant, it.cycles, it.microseconds, it.cores,
                        it.cycles > 0 ? spelling(it.bound()) : "");
    for (size_t i = 0; i < allPipes.size(); ++i)
      text += fmt::format(",{:.4f}", ratio(it, i));
    for (int64_t bytes : it.memoryBytes)
      text += fmt::format(",{}", bytes);
    text += fmt::format(",{},{},{},{}\n", it.trafficBytes, variant.isOnFront ? "yes" : "no",
                        variant.check.state == CheckState::unchecked
                            ? ""
                            : fmt::format("{}", variant.check.errorRatio),
                        passedIn(variant.check));
  };
  for (const CaseResult &each : result.cases) {
    size_t rank = 0;
    for (const VariantResult &variant : each.variants)
      add(each, variant, ++rank);
    for (const VariantResult &variant : each.failed)
      add(each, variant, ++rank);
  }
  return text;
}

std::string summaryPage(const TuneResult &result) {
  std::string text = fmt::format("# {} on {}\n\n{}", result.kernel, result.machine, counts(result));
  const auto row = [&](const std::string &rank, const VariantResult &variant) {
    text += fmt::format("| {} | `{}` | {:.2f} | {} | {} | {} |\n", rank, variant.variant,
                        variant.measure.microseconds, pipesOf(variant.measure),
                        variant.check.state == CheckState::unchecked
                            ? ""
                            : fmt::format("{}", variant.check.errorRatio),
                        passedIn(variant.check));
  };
  for (const CaseResult &each : result.cases) {
    text += fmt::format("\n## {}: {}\n\n| | variant | time, us | pipes | error ratio | passed |\n"
                        "|---|---|---|---|---|---|\n",
                        nameOf(each), dimsOf(each));
    for (size_t i = 0; i < std::min(rowsOfPage, each.variants.size()); ++i)
      row(std::to_string(i + 1), each.variants[i]);
    if (each.byDefault)
      row("default", *each.byDefault);
    for (const VariantResult &variant : each.failed)
      row("wrong", variant);
    if (each.variants.size() > rowsOfPage)
      text += fmt::format("\n{} more are in summary.csv.\n", each.variants.size() - rowsOfPage);
  }
  return text;
}

} // namespace mmk::driver
