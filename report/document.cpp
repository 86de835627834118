// Writes the data of the page.
#include "report/report.h"

#include "llvm/Support/JSON.h"

#include <cmath>
#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::report {
namespace {

/// Text from outside may have any bytes; JSON requires UTF-8.
void writeText(json::OStream &out, llvm::StringRef name, llvm::StringRef text) {
  out.attribute(name, json::fixUTF8(text));
}

/// The shortest digits that read back as the same number.
void writeNumber(json::OStream &out, llvm::StringRef name, double value) {
  out.attributeBegin(name);
  out.rawValue(std::isfinite(value) ? fmt::format("{}", value) : "null");
  out.attributeEnd();
}

void writePassed(json::OStream &out, const std::optional<bool> &passed) {
  if (passed)
    out.attribute("passed", *passed);
}

void writeRoofs(json::OStream &out, const Roofs &roofs) {
  writeNumber(out, "operations", roofs.operations);
  writeNumber(out, "tensor_bytes", roofs.tensorBytes);
  writeNumber(out, "operations_per_second", roofs.operationsPerSecond);
  writeNumber(out, "hbm_bytes_per_second", roofs.hbmBytesPerSecond);
  writeNumber(out, "port_bytes_per_second", roofs.portBytesPerSecond);
}

void writePoint(json::OStream &out, const Point &point) {
  if (!point.label.empty())
    writeText(out, "label", point.label);
  writeText(out, "variant", point.variant);
  out.attribute("cycles", point.cycles);
  writeNumber(out, "us", point.microseconds);
  out.attribute("traffic_bytes", point.trafficBytes);
  out.attribute("port_bytes", point.portBytes);
  if (point.memoryBytes)
    out.attribute("memory_bytes", point.memoryBytes);
  writePassed(out, point.passed);
}

void writeChange(json::OStream &out, const Change &change) {
  writeText(out, "directive", change.directive);
  writeText(out, "options", change.options);
  if (!change.cycles) {
    writeText(out, "reason", change.reason);
    return;
  }
  out.attribute("cycles", change.cycles);
  writeNumber(out, "gain", change.gain);
}

void writePipes(json::OStream &out, const ClockReport &clock) {
  for (const bool onVectorCore : {false, true})
    for (Pipe pipe : allPipes) {
      const ClockReport::PipeTime &time =
          (onVectorCore ? clock.vectorUnits : clock.cubeUnit)[static_cast<size_t>(pipe)];
      if (time.busyCycles == 0)
        continue;
      out.object([&] {
        out.attribute("core", onVectorCore ? "vector" : "cube");
        out.attribute("pipe", llvm::StringRef(spelling(pipe)));
        out.attribute("cycles", time.busyCycles);
        writeNumber(out, "ratio", time.ratio);
      });
    }
}

void writePath(json::OStream &out, const PathReport &path) {
  out.attribute("cycles", path.cycles);
  out.attribute("whole", path.isWhole);
  out.attributeArray("parts", [&] {
    for (const PathReport::Part &part : path.parts)
      out.object([&] {
        out.attribute("core", part.onVectorCore ? "vector" : "cube");
        out.attribute("pipe", llvm::StringRef(spelling(part.pipe)));
        writeText(out, "text",
                  part.origin.text.empty() ? llvm::StringRef(spelling(part.work))
                                           : llvm::StringRef(part.origin.text));
        writeText(out, "file", part.origin.file);
        out.attribute("line", part.origin.line);
        out.attribute("cycles", part.cycles);
      });
  });
}

void writeWait(json::OStream &out, const WaitReport &wait) {
  out.attribute("core", wait.onVectorCore ? "vector" : "cube");
  out.attribute("pipe", llvm::StringRef(spelling(wait.pipe)));
  out.attribute("by", llvm::StringRef(spelling(wait.from)));
  out.attribute("for", wait.isFill ? "filled" : "freed");
  out.attributeArray("buffers", [&] {
    for (const Origin::Buffer &buffer : wait.buffers)
      out.value(json::fixUTF8(buffer.name + " in " + buffer.memory));
  });
  out.attribute("count", wait.count);
  out.attribute("cycles", wait.cycles);
  out.attribute("longest", wait.longest);
}

void writeSymbol(json::OStream &out, const Symbol &symbol) {
  out.array([&] {
    for (int64_t number :
         {static_cast<int64_t>(symbol.work), static_cast<int64_t>(symbol.cause), symbol.text,
          symbol.file, symbol.line, symbol.buffers, symbol.bytes, symbol.byUnit, symbol.byPipe})
      out.value(number);
  });
}

void writeTimeline(json::OStream &out, const Timeline &timeline) {
  out.attribute("end", timeline.end);
  out.attribute("task", timeline.task);
  if (!timeline.kinds.empty())
    writeText(out, "kinds", timeline.kinds);
  if (!timeline.shown.empty())
    writeText(out, "shown", timeline.shown);
  out.attributeArray("phases", [&] {
    for (const auto &[from, to] : timeline.phases)
      out.array([&] {
        out.value(from);
        out.value(to);
      });
  });
  out.attributeArray("texts", [&] {
    for (const std::string &text : timeline.texts)
      out.value(json::fixUTF8(text));
  });
  out.attributeArray("symbols", [&] {
    for (const Symbol &symbol : timeline.symbols)
      writeSymbol(out, symbol);
  });
  out.attributeArray("lanes", [&] {
    for (const Lane &lane : timeline.lanes)
      out.array([&] {
        for (int64_t number : {lane.block, static_cast<int64_t>(lane.unit),
                               static_cast<int64_t>(lane.pipe), lane.events})
          out.value(number);
      });
  });
  out.attribute("data", timeline.data);
}

void writeCase(json::OStream &out, const Case &each) {
  writeText(out, "name", each.name);
  out.attributeArray("dims", [&] {
    for (const auto &[name, size] : each.dims)
      out.array([&] {
        out.value(json::fixUTF8(name));
        out.value(size);
      });
  });
  writePassed(out, each.passed);
  writeText(out, "variant", each.variant);
  out.attribute("cycles", each.clock.cycles);
  writeNumber(out, "us", each.clock.microseconds);
  writeNumber(out, "launch_us", each.clock.launchMicroseconds);
  out.attribute("cores", each.clock.cores);
  out.attributeArray("pipes", [&] { writePipes(out, each.clock); });
  out.attributeObject("roofs", [&] { writeRoofs(out, each.roofs); });
  out.attributeObject("chosen", [&] { writePoint(out, each.chosen); });
  if (each.before)
    out.attributeObject("before", [&] { writePoint(out, *each.before); });
  out.attributeArray("variants", [&] {
    for (const Point &point : each.variants)
      out.object([&] { writePoint(out, point); });
  });
  out.attribute("variants_in_all", each.variantsInAll);
  out.attributeArray("changes", [&] {
    for (const Change &change : each.changes)
      out.object([&] { writeChange(out, change); });
  });
  out.attributeObject("path", [&] { writePath(out, each.path); });
  out.attributeArray("waits", [&] {
    for (const WaitReport &wait : each.waits)
      out.object([&] { writeWait(out, wait); });
  });
  out.attributeObject("timeline", [&] { writeTimeline(out, each.timeline); });
}

template <typename Words> void writeWords(json::OStream &out, llvm::StringRef name, size_t count) {
  out.attributeArray(name, [&] {
    for (size_t i = 0; i < count; ++i)
      out.value(llvm::StringRef(spelling(static_cast<Words>(i))));
  });
}

} // namespace

std::string documentOf(const Report &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    writeText(out, "title", report.title);
    writeText(out, "kernel", report.kernel);
    writeText(out, "file", report.file);
    writeText(out, "machine", report.machine);
    writeText(out, "version", report.version);
    writeNumber(out, "megahertz", report.megahertz);
    out.attribute("cores", report.cores);
    writeWords<Pipe>(out, "pipes", allPipes.size());
    writeWords<Work>(out, "works", static_cast<size_t>(Work::issue) + 1);
    writeWords<Cause>(out, "causes", allCauses.size());
    out.attributeArray("cases", [&] {
      for (const Case &each : report.cases)
        out.object([&] { writeCase(out, each); });
    });
  });
  // Inside of a script element, only "<" can end it or begin a comment; in JSON it stands in
  // strings alone.
  std::string safe;
  for (char letter : text)
    safe += letter == '<' ? "\\u003c" : std::string(1, letter);
  return safe;
}

} // namespace mmk::report
