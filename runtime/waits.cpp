#include "runtime/waits.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace mmk {
namespace {

std::string nameOf(const std::vector<Origin::Buffer> &buffers) {
  std::string text;
  for (const Origin::Buffer &buffer : buffers)
    text += buffer.name + " in " + buffer.memory + "\n";
  return text;
}

/// "a, b in L1"
std::string buffersOf(const WaitReport &wait) {
  std::string text;
  for (size_t i = 0; i < wait.buffers.size(); ++i) {
    text += (i ? ", " : "") + wait.buffers[i].name;
    if (i + 1 == wait.buffers.size() || wait.buffers[i + 1].memory != wait.buffers[i].memory)
      text += " in " + wait.buffers[i].memory;
  }
  return text;
}

/// The number of the last work on each pipe, and as that of the scalar unit, which issues all of
/// it, on each core. Later events only take flags down, and delay nothing.
std::map<std::pair<unsigned, Pipe>, int64_t> lastWork(const BlockRecording &block) {
  std::map<std::pair<unsigned, Pipe>, int64_t> last;
  for (const Event &event : block.events)
    if (event.work < Work::set)
      for (Pipe pipe : {event.pipe, Pipe::scalar})
        last[{event.unit, pipe}] = event.number;
  return last;
}

int64_t vectorCoresOf(const BlockRecording &block) {
  unsigned most = 0;
  for (const Event &event : block.events)
    most = std::max(most, event.unit);
  return std::max(1u, most);
}

/// By core, pipe that waits, pipe that sets, and number of the wait's origin.
using WaitOrigin = std::tuple<bool, Pipe, Pipe, int64_t>;

std::map<WaitOrigin, WaitReport> waitsByOrigin(const PhaseRecording &phase) {
  std::map<WaitOrigin, WaitReport> waits;
  const BlockRecording &block = phase.slowest();
  const auto last = lastWork(block);
  for (const Event &event : block.events) {
    if (event.waited == 0)
      continue;
    const auto work = last.find({event.unit, event.pipe});
    if (work == last.end() || event.number > work->second)
      continue;
    const Event &set = block.events[event.after];
    WaitReport &wait = waits[{event.unit > 0, event.pipe, set.pipe, event.origin}];
    ++wait.count;
    wait.cycles += event.waited;
    if (event.waited <= wait.longest)
      continue;
    wait.longest = event.waited;
    wait.longestEnd = event.start;
    wait.slot = event.slots.empty() ? -1 : event.slots.front();
    if (set.origin >= 0) {
      wait.file = phase.origins[set.origin].file;
      wait.line = phase.origins[set.origin].line;
    }
  }
  return waits;
}

void add(WaitReport &all, const WaitReport &part) {
  const int64_t count = all.count + part.count, cycles = all.cycles + part.cycles;
  if (part.longest > all.longest)
    all = part;
  all.count = count;
  all.cycles = cycles;
}

} // namespace

std::vector<WaitReport> waitReport(const std::deque<PhaseRecording> &phases) {
  // The same wait may stand at several places of the program.
  std::map<std::tuple<bool, Pipe, Pipe, bool, std::string>, WaitReport> waits;
  int64_t vectorCores = 1;
  for (const PhaseRecording &phase : phases) {
    vectorCores = std::max(vectorCores, vectorCoresOf(phase.slowest()));
    for (auto &[where, wait] : waitsByOrigin(phase)) {
      const Origin origin = std::get<3>(where) < 0 ? Origin() : phase.origins[std::get<3>(where)];
      std::tie(wait.onVectorCore, wait.pipe, wait.from, std::ignore) = where;
      wait.isFill = origin.isFill;
      wait.buffers = origin.buffers;
      add(waits[{wait.onVectorCore, wait.pipe, wait.from, wait.isFill, nameOf(wait.buffers)}],
          wait);
    }
  }
  std::vector<WaitReport> report;
  for (auto &[key, wait] : waits) {
    if (wait.onVectorCore) {
      wait.count = (wait.count + vectorCores / 2) / vectorCores;
      wait.cycles = (wait.cycles + vectorCores / 2) / vectorCores;
    }
    report.push_back(std::move(wait));
  }
  std::ranges::sort(report, {}, [](const WaitReport &wait) {
    return std::tuple(-wait.cycles, wait.pipe, wait.from, wait.isFill, nameOf(wait.buffers));
  });
  return report;
}

std::string nameOfCore(Topology topology, bool onVectorCore) {
  return topology == Topology::coupled ? "AI" : onVectorCore ? "vector" : "cube";
}

std::string sentenceOf(const WaitReport &wait, Topology topology) {
  const std::string core = nameOfCore(topology, wait.onVectorCore);
  if (wait.buffers.empty())
    return fmt::format("{} {} waits for {}", core, spelling(wait.pipe), spelling(wait.from));
  return fmt::format("{} {} waits for {} to be {} by {}", core, spelling(wait.pipe),
                     buffersOf(wait), wait.isFill ? "filled" : "freed", spelling(wait.from));
}

std::vector<WaitReport> busyFirst(std::vector<WaitReport> waits, const ClockReport &clock) {
  std::ranges::sort(waits, {}, [&](const WaitReport &wait) {
    const ClockReport::PipeTimes &pipes = wait.onVectorCore ? clock.vectorUnits : clock.cubeUnit;
    return std::tuple(-pipes[static_cast<size_t>(wait.pipe)].busyCycles, wait.onVectorCore,
                      wait.pipe, -wait.cycles, sentenceOf(wait));
  });
  return waits;
}

} // namespace mmk
