// Records events, for views that trace back from the end of a run.
#pragma once

#include "runtime/events.h"

#include "llvm/Support/Allocator.h"

#include <deque>

namespace mmk {

/// Capacity for the block whose critical path is reported: 250 MB, several times the events of a
/// core in a product of 8192 x 8192 x 8192.
inline constexpr int64_t pathEvents = 2000000;

/// The events of one block in one phase, by their numbers; when there were more than there was room
/// for, the first of them.
struct BlockRecording {
  int64_t block = 0;
  std::vector<Event> events;
  bool isCut = false;

  /// Of the last event that is kept.
  int64_t end() const;
};

struct PhaseRecording {
  int64_t number = 0, blocks = 0;
  int64_t start = 0, end = 0;
  std::vector<Origin> origins;
  std::vector<BlockRecording> recorded; ///< the slowest first; maybe not all

  const BlockRecording &slowest() const { return recorded.front(); }
};

/// Keeps the slowest block of each phase, and as many others as there is room for.
class Recorder : public EventSink {
public:
  /// Room for `blockEvents` events of a block, and for `events` in all.
  Recorder(int64_t blockEvents, int64_t events) : blockRoom_(blockEvents), room_(events) {}

  const std::deque<PhaseRecording> &phases() const { return phases_; }

  void enter(const CountedPhase &phase) override;
  bool accepts(int64_t block) override;
  void see(const Event &event) override;

private:
  std::span<const int64_t> kept(std::span<const int64_t> numbers);

  int64_t blockRoom_, room_;
  std::deque<PhaseRecording> phases_;
  llvm::BumpPtrAllocator numbers_;
};

} // namespace mmk
