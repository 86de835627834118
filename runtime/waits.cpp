#include "runtime/waits.h"

#include <algorithm>
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

/// The number of the last work on each pipe. What is behind it only takes flags down, and holds
/// nothing.
std::map<std::pair<unsigned, Pipe>, int64_t> lastWork(const BlockRecording &block) {
  std::map<std::pair<unsigned, Pipe>, int64_t> last;
  for (const Event &event : block.events)
    if (event.work < Work::set)
      last[{event.unit, event.pipe}] = event.number;
  return last;
}

int64_t vectorCoresOf(const BlockRecording &block) {
  unsigned most = 0;
  for (const Event &event : block.events)
    most = std::max(most, event.unit);
  return std::max(1u, most);
}

} // namespace

std::vector<WaitReport> waitReport(const std::deque<PhaseRecording> &phases) {
  std::map<std::tuple<bool, Pipe, Pipe, bool, std::string>, WaitReport> waits;
  int64_t vectorCores = 1;
  for (const PhaseRecording &phase : phases) {
    const BlockRecording &block = phase.slowest();
    vectorCores = std::max(vectorCores, vectorCoresOf(block));
    const auto last = lastWork(block);
    for (const Event &event : block.events) {
      const auto work = last.find({event.unit, event.pipe});
      if (event.waited == 0 || work == last.end() || event.number > work->second)
        continue;
      const Event &set = block.events[event.after];
      const Origin origin = event.origin < 0 ? Origin() : phase.origins[event.origin];
      WaitReport &wait =
          waits[{event.unit > 0, event.pipe, set.pipe, origin.isFill, nameOf(origin.buffers)}];
      wait.onVectorCore = event.unit > 0;
      wait.pipe = event.pipe;
      wait.from = set.pipe;
      wait.isFill = origin.isFill;
      wait.buffers = origin.buffers;
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

} // namespace mmk
