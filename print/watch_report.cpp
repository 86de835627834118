#include "print/watch_report.h"

#include "compiler/ir_diagnostics.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

std::string nameOf(mlir::Operation *op) { return op->getName().stripDialect().str(); }

std::string whereSeen(const WatchFault &fault) {
  const std::string again = fault.times == 1 ? ""
                            : fault.times == 2
                                ? ", and once more"
                                : fmt::format(", and {} more times", fault.times - 1);
  return fmt::format("in block {} of phase {}{}", fault.block, fault.phase, again);
}

Diagnostic diagnosticOf(const WatchFault &fault, const SourceFile &file) {
  auto placeOf = [&](mlir::Operation *op) {
    return op ? rangeOf(op->getLoc(), file) : SourceRange();
  };
  Diagnostic result{Severity::error, placeOf(fault.op), fault.message, {}};
  auto note = [&](SourceRange where, std::string text) {
    result.notes.push_back({Severity::note, where, std::move(text), {}});
  };
  if (fault.other) {
    const SourceRange where = placeOf(fault.other);
    const std::string text = fmt::format("the {} ({})", nameOf(fault.other), fault.otherPipe);
    // The line has just been shown.
    if (where.file && where.begin == result.where.begin)
      note({}, text + " is of the same line");
    else
      note(where, text);
  }
  if (!fault.missing.empty())
    note({}, fault.missing);
  if (fault.op)
    note({}, whereSeen(fault));
  return result;
}

void writeInstruction(json::OStream &out, llvm::StringRef name, mlir::Operation *op,
                      const std::string &pipe, const std::string &unit, const SourceFile &file) {
  if (!op)
    return;
  out.attributeObject(name, [&] {
    out.attribute("op", nameOf(op));
    out.attribute("pipe", pipe);
    if (!unit.empty())
      out.attribute("unit", unit);
    const SourceRange where = rangeOf(op->getLoc(), file);
    if (!where.file)
      return;
    const SourceFile::Position position = file.position(where.begin);
    out.attribute("line", static_cast<int64_t>(position.line));
    out.attribute("column", static_cast<int64_t>(position.column));
  });
}

void write(json::OStream &out, const WatchFault &fault, const SourceFile &file) {
  out.attribute("kind", llvm::StringRef(spelling(fault.what)));
  out.attribute("message", fault.message);
  if (!fault.missing.empty())
    out.attribute("missing", fault.missing);
  out.attribute("phase", fault.phase);
  out.attribute("block", fault.block);
  out.attribute("times", fault.times);
  writeInstruction(out, "instruction", fault.op, fault.pipe, fault.unit, file);
  writeInstruction(out, "other", fault.other, fault.otherPipe, fault.otherUnit, file);
  if (fault.place.empty())
    return;
  out.attribute("place", fault.place);
  out.attribute("memory", fault.memory);
  if (fault.end > fault.begin)
    out.attributeArray("bytes", [&] {
      out.value(fault.begin);
      out.value(fault.end - 1);
    });
}

} // namespace

std::string hazardsText(const WatchReport &report, const SourceFile &file, bool colour) {
  Diagnostics diagnostics;
  for (const WatchFault &fault : report.faults)
    diagnostics.add(diagnosticOf(fault, file));
  return diagnostics.render(colour);
}

std::string watchSummary(const WatchReport &report) {
  const size_t hazards = report.faults.size();
  return fmt::format("{} instructions, {} accesses and {} flags watched: {}", report.instructions,
                     report.accesses, report.flags,
                     hazards == 0   ? "no hazard"
                     : hazards == 1 ? "1 hazard"
                                    : fmt::format("{} hazards", hazards));
}

void write(json::OStream &out, const WatchReport &report, const SourceFile &file) {
  out.attribute("passed", report.faults.empty());
  out.attribute("instructions", report.instructions);
  out.attribute("accesses", report.accesses);
  out.attribute("flags", report.flags);
  out.attributeArray("hazards", [&] {
    for (const WatchFault &fault : report.faults)
      out.object([&] { write(out, fault, file); });
  });
}

} // namespace mmk::driver
