// Two sides for programs.
#include "cli/json.h"
#include "print/run_report.h"
#include "print/side_by_side.h"

namespace json = llvm::json;

namespace mmk::driver {
namespace {

void writeSide(json::OStream &out, const Side &side, const SideFigures &figures) {
  out.attribute("machine", side.machine);
  out.attribute("variant", side.variant);
  if (figures.passed)
    out.attributeObject("check", [&] { out.attribute("passed", *figures.passed); });
  if (figures.clock)
    out.attributeObject("clock", [&] { write(out, *figures.clock); });
  if (figures.hostMs)
    out.attributeObject("host", [&] {
      out.attributeObject("run_ms", [&] { writeNumber(out, "median", *figures.hostMs); });
    });
  writeMemory(out, side.memory);
  if (side.flags)
    writeFlags(out, *side.flags);
}

void writeIr(json::OStream &out, const IrDiff &diff, bool whole) {
  out.attribute("removed", static_cast<int64_t>(diff.removed));
  out.attribute("added", static_cast<int64_t>(diff.added));
  if (whole)
    out.attributeArray("diff", [&] {
      for (const std::string &line : diff.lines)
        out.value(line);
    });
}

} // namespace

std::string jsonOf(const std::vector<SideBySide> &pairs, bool wholeIr) {
  std::vector<std::pair<const SideBySide *, const CasePair *>> cases;
  for (const SideBySide &pair : pairs)
    for (const CasePair &each : pair.cases)
      cases.emplace_back(&pair, &each);
  return jsonArray(cases, [&](json::OStream &out, const auto &both) {
    const SideBySide &pair = *both.first;
    const CasePair &each = *both.second;
    out.attribute("kernel", pair.kernel);
    out.attribute("case", each.name);
    writeDims(out, each.dims);
    out.attributeArray("changes", [&] {
      for (const Change &change : pair.changes)
        out.object([&] {
          out.attribute("name", change.name);
          out.attribute("a", change.a);
          out.attribute("b", change.b);
        });
    });
    if (each.a.clock && each.b.clock)
      writeNumber(out, "gain_percent",
                  gainPercent(each.a.clock->microseconds, each.b.clock->microseconds));
    if (each.a.hostMs && each.b.hostMs)
      writeNumber(out, "host_gain_percent", gainPercent(*each.a.hostMs, *each.b.hostMs));
    out.attributeObject("a", [&] { writeSide(out, pair.a, each.a); });
    out.attributeObject("b", [&] { writeSide(out, pair.b, each.b); });
    if (pair.ir)
      out.attributeObject("ir", [&] { writeIr(out, *pair.ir, wholeIr); });
    out.attributeArray("remarks", [&] {
      for (const std::string &remark : pair.remarks)
        out.value(remark);
    });
  });
}

} // namespace mmk::driver
