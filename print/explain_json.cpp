// `mmk explain` for programs.
#include "cli/json.h"
#include "print/explanation.h"
#include "print/time_report.h"

namespace json = llvm::json;

namespace mmk::driver {
namespace {

void writeRoofline(json::OStream &out, const tune::Roofline &roof, const ClockReport &clock,
                   Topology topology) {
  out.attributeObject("roofline", [&] {
    writeNumber(out, "operations", roof.operations);
    writeNumber(out, "tensor_bytes", roof.tensorBytes);
    writeNumber(out, "intensity", roof.intensity());
    writeNumber(out, "ridge", roof.ridge());
    writeNumber(out, "peak_operations_per_second", roof.peakOperations);
    writeNumber(out, "memory_bytes_per_second", roof.memoryBytes);
    out.attribute("bound", roof.isBoundByCompute() ? "compute" : "memory");
    writeNumber(out, "compute_us", roof.computeMicroseconds);
    writeNumber(out, "memory_us", roof.memoryMicroseconds);
    writeNumber(out, "reached",
                clock.microseconds > 0 ? roof.microseconds() / clock.microseconds : 0);
    out.attributeObject("port", [&] {
      out.attribute("core", nameOfCore(topology, roof.portIsOfVectorCore));
      writeNumber(out, "bytes", roof.portBytes);
      writeNumber(out, "us", roof.portMicroseconds);
    });
  });
}

void writeChange(json::OStream &out, const tune::WhatIf &change, const Explanation &explanation) {
  out.attributeObject("set", [&] {
    for (const auto &[key, word] : change.choices)
      out.attribute(key, word);
  });
  out.attribute("options", optionsOf(change.choices));
  out.attribute("exists", change.exists);
  if (!change.exists) {
    out.attribute("reason", json::fixUTF8(change.reason));
    return;
  }
  out.attribute("cycles", change.cycles);
  writeNumber(out, "gain", gainOf(change, explanation));
}

} // namespace

void write(json::OStream &out, const RunHeader &header, const Explanation &explanation) {
  const Topology topology = header.machine->topology;
  write(out, header, explanation.report);
  writeRoofline(out, explanation.roofline, *explanation.report.clock, topology);
  writePath(out, explanation.path, topology);
  out.attributeArray("slowest_blocks", [&] {
    for (int64_t block : explanation.slowest)
      out.value(block);
  });
  writeWaits(out, explanation.waits, topology);
  write(out, explanation.sync);
  out.attributeArray("changes", [&] {
    for (const tune::WhatIf &change : explanation.changes.alone)
      out.object([&] { writeChange(out, change, explanation); });
  });
  if (explanation.changes.together)
    out.attributeObject("together",
                        [&] { writeChange(out, *explanation.changes.together, explanation); });
  if (const auto &change = explanation.fixpipe)
    out.attributeObject("with_machine_set", [&] {
      out.attribute("set", change->set);
      out.attribute("what", change->what);
      out.attribute("trust", change->trust);
      out.attribute("variant", change->variant);
      out.attribute("cycles", change->cycles);
      writeNumber(out, "time_us", change->microseconds);
    });
}

} // namespace mmk::driver
