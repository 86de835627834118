#include "runtime/critical_path.h"

#include <algorithm>
#include <tuple>

namespace mmk {
namespace {

using Where = std::tuple<bool, Pipe, Work, int64_t>; ///< the last is an origin's number
struct Sum {
  int64_t count = 0, cycles = 0;
};

/// The events on the path of a block, which also go into the sums of the report.
std::map<Where, Sum> sumByOrigin(const BlockRecording &block, PathReport &report) {
  std::map<Where, Sum> sums;
  for (int64_t number : criticalPath(block)) {
    const Event &event = block.events[number];
    const int64_t cycles = event.end - event.start;
    report.cycles += cycles;
    report.byPipe[{event.unit > 0, event.pipe}] += cycles;
    report.byCause[event.cause] += cycles;
    Sum &sum = sums[{event.unit > 0, event.pipe, event.work, event.origin}];
    ++sum.count;
    sum.cycles += cycles;
  }
  return sums;
}

} // namespace

std::vector<int64_t> criticalPath(const BlockRecording &block) {
  std::vector<int64_t> path;
  if (block.events.empty())
    return path;
  const auto last = std::ranges::max_element(block.events, {}, &Event::end);
  // An issue behind a full queue continues when another instruction starts, which takes no time
  // itself: the path continues with the event that held that one.
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
    for (const auto &[where, sum] : sumByOrigin(block, report)) {
      const auto [onVectorCore, pipe, work, number] = where;
      // Only that the scalar unit issues counts, not what.
      const Origin origin = number < 0 || work == Work::issue ? Origin() : phase.origins[number];
      PathReport::Part &part =
          parts[{onVectorCore, pipe, work, origin.text, origin.file, origin.line}];
      part.onVectorCore = onVectorCore;
      part.pipe = pipe;
      part.work = work;
      part.origin = origin;
      part.count += sum.count;
      part.cycles += sum.cycles;
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
