#include "print/time_report.h"

#include "cli/json.h"

namespace json = llvm::json;

namespace mmk::driver {
namespace {

void writePlace(json::OStream &out, const std::string &file, int64_t line) {
  if (file.empty())
    return;
  out.attribute("file", json::fixUTF8(file));
  out.attribute("line", line);
}

void writeBuffers(json::OStream &out, const std::vector<Origin::Buffer> &buffers) {
  out.attributeArray("buffers", [&] {
    for (const Origin::Buffer &buffer : buffers)
      out.object([&] {
        out.attribute("name", buffer.name);
        out.attribute("memory", buffer.memory);
      });
  });
}

} // namespace

void writePath(json::OStream &out, const PathReport &path, Topology topology) {
  const double all = static_cast<double>(std::max<int64_t>(1, path.cycles));
  out.attributeObject("critical_path", [&] {
    out.attribute("cycles", path.cycles);
    out.attribute("whole", path.isWhole);
    out.attributeArray("pipes", [&] {
      for (const auto &[where, cycles] : path.byPipe)
        out.object([&] {
          out.attribute("core", nameOfCore(topology, where.first));
          out.attribute("pipe", llvm::StringRef(spelling(where.second)));
          out.attribute("cycles", cycles);
          writeNumber(out, "ratio", static_cast<double>(cycles) / all);
        });
    });
    out.attributeObject("held_by", [&] {
      for (const auto &[cause, cycles] : path.byCause)
        out.attribute(llvm::StringRef(spelling(cause)), cycles);
    });
    out.attributeArray("parts", [&] {
      for (const PathReport::Part &part : path.parts)
        out.object([&] {
          out.attribute("core", nameOfCore(topology, part.onVectorCore));
          out.attribute("pipe", llvm::StringRef(spelling(part.pipe)));
          out.attribute("work", llvm::StringRef(spelling(part.work)));
          if (!part.origin.text.empty())
            out.attribute("text", part.origin.text);
          writePlace(out, part.origin.file, part.origin.line);
          out.attribute("count", part.count);
          out.attribute("cycles", part.cycles);
        });
    });
  });
}

void writeWaits(json::OStream &out, const std::vector<WaitReport> &waits, Topology topology) {
  out.attributeArray("waits", [&] {
    for (const WaitReport &wait : waits)
      out.object([&] {
        out.attribute("core", nameOfCore(topology, wait.onVectorCore));
        out.attribute("pipe", llvm::StringRef(spelling(wait.pipe)));
        out.attribute("for", wait.isFill ? "filled" : "freed");
        out.attribute("by", llvm::StringRef(spelling(wait.from)));
        writeBuffers(out, wait.buffers);
        out.attribute("count", wait.count);
        out.attribute("cycles", wait.cycles);
        out.attributeObject("longest", [&] {
          out.attribute("cycles", wait.longest);
          out.attribute("until", wait.longestEnd);
          if (wait.slot >= 0)
            out.attribute("slot", wait.slot);
          writePlace(out, wait.file, wait.line);
        });
      });
  });
}

} // namespace mmk::driver
