#include "runtime/recording.h"

#include <algorithm>

namespace mmk {

int64_t BlockRecording::end() const {
  int64_t end = 0;
  for (const Event &event : events)
    end = std::max(end, event.end);
  return end;
}

void Recorder::enter(const CountedPhase &phase) {
  phases_.push_back({phase.number,
                     phase.blocks,
                     phase.start,
                     phase.end,
                     {phase.origins.begin(), phase.origins.end()},
                     {}});
}

// Blocks are about as long as the slowest.
bool Recorder::accepts(int64_t block) {
  std::vector<BlockRecording> &recorded = phases_.back().recorded;
  const bool fits =
      recorded.empty() || static_cast<int64_t>(recorded.front().events.size()) <= room_;
  if (fits)
    recorded.push_back({block, {}, false});
  return fits;
}

void Recorder::see(const Event &event) {
  BlockRecording &block = phases_.back().recorded.back();
  block.isCut |= static_cast<int64_t>(block.events.size()) >= blockRoom_;
  if (block.isCut)
    return;
  --room_;
  Event &copy = block.events.emplace_back(event);
  copy.sets = kept(event.sets);
  copy.slots = kept(event.slots);
}

std::span<const int64_t> Recorder::kept(std::span<const int64_t> numbers) {
  if (numbers.empty())
    return {};
  int64_t *copy = numbers_.Allocate<int64_t>(numbers.size());
  std::ranges::copy(numbers, copy);
  return {copy, numbers.size()};
}

} // namespace mmk
