#include "runtime/trace.h"

#include "runtime/critical_path.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace mmk {
namespace {

namespace json = llvm::json;

class Writer {
public:
  Writer(json::OStream &out, const Machine &machine, size_t most)
      : out_(out), machine_(machine), most_(most) {}

  void write(const PhaseRecording &phase) {
    for (const BlockRecording &block : phase.recorded)
      write(phase, block);
  }

private:
  int64_t coresOfBlock() const {
    return machine_.topology == Topology::split ? 1 + machine_.vectorCoresPerCube : 1;
  }
  /// Processes and threads count from 1: some viewers hide those of number 0.
  int64_t processOf(int64_t block, unsigned unit) const {
    return block * coresOfBlock() + unit + 1;
  }
  static int64_t threadOf(Pipe pipe) { return static_cast<int64_t>(pipe) + 1; }

  void metadata(const char *name, const Event &event, llvm::function_ref<void()> arguments) {
    out_.object([&] {
      out_.attribute("ph", "M");
      out_.attribute("name", name);
      place(event);
      out_.attributeObject("args", arguments);
    });
  }

  void place(const Event &event) {
    out_.attribute("pid", processOf(event.block, event.unit));
    out_.attribute("tid", threadOf(event.pipe));
  }

  /// Names the core and the pipe of an event, when it is the first there.
  void introduce(const Event &event) {
    const int64_t process = processOf(event.block, event.unit);
    if (known_.insert({process, 0}).second) {
      const std::string core = coresOfBlock() == 1 ? "core"
                               : event.unit == 0   ? "cube core"
                                                   : fmt::format("vector core {}", event.unit - 1);
      metadata("process_name", event,
               [&] { out_.attribute("name", fmt::format("block {}: {}", event.block, core)); });
      metadata("process_sort_index", event, [&] { out_.attribute("sort_index", process); });
    }
    if (known_.insert({process, threadOf(event.pipe)}).second) {
      metadata("thread_name", event,
               [&] { out_.attribute("name", llvm::StringRef(spelling(event.pipe))); });
      metadata("thread_sort_index", event,
               [&] { out_.attribute("sort_index", threadOf(event.pipe)); });
    }
  }

  void write(const PhaseRecording &phase, const BlockRecording &block) {
    std::vector<bool> isCritical(block.events.size());
    if (&block == &phase.slowest())
      for (int64_t number : criticalPath(block))
        isCritical[number] = true;
    for (const Event &event : std::span(block.events).first(std::min(most_, block.events.size()))) {
      introduce(event);
      const Origin &origin = event.origin < 0 ? unknown_ : phase.origins[event.origin];
      slice(event, origin, isCritical[event.number]);
      for (int64_t set : event.sets)
        arrow(block.events[set], event);
    }
  }

  /// A wait is shown from the time at which its pipe is idle.
  void slice(const Event &event, const Origin &origin, bool isCritical) {
    const bool isIssue = event.work == Work::issue;
    out_.object([&] {
      out_.attribute("ph", "X");
      out_.attribute("name", json::fixUTF8(isIssue               ? "issue " + origin.text
                                           : origin.text.empty() ? std::string(spelling(event.work))
                                                                 : origin.text));
      out_.attribute("cat", llvm::StringRef(spelling(event.work)));
      place(event);
      out_.attribute("ts", event.start - event.waited);
      out_.attribute("dur", event.end - event.start + event.waited);
      out_.attributeObject("args", [&] {
        if (!origin.file.empty())
          out_.attribute("line", json::fixUTF8(fmt::format("{}:{}", origin.file, origin.line)));
        if (!isIssue && !origin.buffers.empty())
          out_.attribute("buffers", json::fixUTF8(spellBuffers(event, origin)));
        if (event.bytes > 0)
          out_.attribute("bytes", event.bytes);
        out_.attribute("held_by", llvm::StringRef(spelling(event.cause)));
        if (event.waited > 0)
          out_.attribute("waited", event.waited);
        if (isCritical)
          out_.attribute("critical", true);
      });
    });
  }

  void arrow(const Event &set, const Event &wait) {
    ++arrows_;
    auto end = [&](const char *phase, const Event &event) {
      out_.object([&] {
        out_.attribute("ph", phase);
        out_.attribute("name", "flag");
        out_.attribute("cat", "flag");
        out_.attribute("id", arrows_);
        if (*phase == 'f')
          out_.attribute("bp", "e");
        place(event);
        out_.attribute("ts", event.start);
      });
    };
    end("s", set);
    end("f", wait);
  }

  json::OStream &out_;
  const Machine &machine_;
  size_t most_;
  std::set<std::pair<int64_t, int64_t>> known_;
  const Origin unknown_;
  int64_t arrows_ = 0;
};

} // namespace

std::string shownInTrace(const std::deque<PhaseRecording> &phases, size_t most) {
  std::string text;
  for (const PhaseRecording &phase : phases) {
    const BlockRecording &slowest = phase.slowest();
    std::string shown;
    if (static_cast<int64_t>(phase.recorded.size()) < phase.blocks)
      shown = fmt::format("{} of {} blocks, the slowest among them", phase.recorded.size(),
                          phase.blocks);
    if (slowest.events.size() > most || slowest.isCut)
      shown = fmt::format("block {}, the slowest of {}, up to cycle {} of {}", slowest.block,
                          phase.blocks,
                          slowest.events[std::min(most, slowest.events.size()) - 1].end, phase.end);
    if (!shown.empty())
      text +=
          fmt::format("{}{}{}", text.empty() ? "" : "; ",
                      phases.size() > 1 ? fmt::format("phase {}: ", phase.number + 1) : "", shown);
  }
  return text;
}

void writeTrace(llvm::raw_ostream &stream, const std::deque<PhaseRecording> &phases,
                const Machine &machine, size_t most,
                const std::vector<std::pair<std::string, std::string>> &about) {
  json::OStream out(stream);
  out.object([&] {
    out.attributeObject("otherData", [&] {
      for (const auto &[name, value] : about)
        out.attribute(name, json::fixUTF8(value));
      out.attribute("time", "one microsecond of the trace is one cycle");
      out.attribute("megahertz", machine.megahertz);
      if (const std::string shown = shownInTrace(phases, most); !shown.empty())
        out.attribute("shown", shown);
    });
    out.attributeArray("traceEvents", [&] {
      Writer writer(out, machine, most);
      for (const PhaseRecording &phase : phases)
        writer.write(phase);
    });
  });
  stream << '\n';
}

} // namespace mmk
