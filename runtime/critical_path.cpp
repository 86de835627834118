#include "runtime/critical_path.h"

#include <algorithm>
#include <tuple>

namespace mmk {

std::vector<int64_t> criticalPath(const BlockRecording &block) {
  std::vector<int64_t> path;
  if (block.events.empty())
    return path;
  const auto last = std::ranges::max_element(block.events, {}, &Event::end);
  // An issue behind a full queue goes on when another instruction starts, which takes no time
  // itself: the path goes on with what that one waited for.
  bool takesTime = true;
  for (int64_t number = last->number; number >= 0;) {
    const Event &event = block.events[number];
    if (takesTime)
      path.push_back(number);
    takesTime = event.cause != Cause::queue;
    number = event.after;
  }
  std::ranges::reverse(path);
  return path;
}

PathReport pathReport(const std::deque<PhaseRecording> &phases) {
  PathReport report;
  // The same text at the same place is one part, wherever the compiler has put copies of it.
  using Key = std::tuple<bool, Pipe, Work, std::string, std::string, int64_t>;
  std::map<Key, PathReport::Part> parts;
  for (const PhaseRecording &phase : phases) {
    const BlockRecording &block = phase.slowest();
    report.isWhole &= !block.isCut;
    for (int64_t number : criticalPath(block)) {
      const Event &event = block.events[number];
      const int64_t cycles = event.end - event.start;
      const bool onVectorCore = event.unit > 0;
      report.cycles += cycles;
      report.byPipe[{onVectorCore, event.pipe}] += cycles;
      report.byCause[event.cause] += cycles;
      Origin origin = event.origin < 0 ? Origin() : phase.origins[event.origin];
      if (event.work == Work::issue)
        origin = {};
      PathReport::Part &part =
          parts[{onVectorCore, event.pipe, event.work, origin.text, origin.file, origin.line}];
      ++part.count;
      part.cycles += cycles;
      if (part.count > 1)
        continue;
      part.onVectorCore = onVectorCore;
      part.pipe = event.pipe;
      part.work = event.work;
      part.origin = std::move(origin);
    }
  }
  for (auto &[key, part] : parts)
    report.parts.push_back(std::move(part));
  std::ranges::sort(report.parts, {}, [](const PathReport::Part &part) {
    return std::tuple(-part.cycles, part.onVectorCore, part.pipe, part.work, part.origin.text,
                      part.origin.file, part.origin.line);
  });
  return report;
}

} // namespace mmk
