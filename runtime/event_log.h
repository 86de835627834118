// Records why each instruction of a block starts when it does. A clock with a sink has one of
// these; a clock without a sink pays nothing.
#pragma once

#include "runtime/events.h"

#include "llvm/ADT/SmallVector.h"

namespace mmk {

class EventLog {
public:
  EventLog(EventSink &sink, int64_t block, unsigned units, int64_t queueDepth, size_t flags);

  /// The origin of the following events.
  void from(int64_t origin, std::span<const int64_t> slots) {
    origin_ = origin;
    slots_ = slots;
    bytes_ = 0;
  }
  /// The next event moves `bytes` of global memory.
  void moves(int64_t bytes) { bytes_ = bytes; }

  /// The next event is a wait for flag `flag`, which consumes the oldest of its sets.
  void take(size_t flag);
  /// The last event of a pipe; -1: none.
  int64_t lastOf(unsigned unit, Pipe pipe) { return log(unit, pipe).last; }
  /// The next event waits for the end of this one, as for a flag.
  void holdUntil(int64_t event, int64_t end) { holder_ = {event, end}; }
  /// The last event is a set of this flag.
  void setBy(size_t flag);

  /// An issue, which a full queue held back when `queueWasFull`.
  void issue(unsigned unit, Pipe pipe, int64_t start, int64_t end, bool queueWasFull);
  /// An instruction on its pipe, which could start at `issued` and at `pipeFree` at the earliest.
  void run(unsigned unit, Pipe pipe, Work work, int64_t start, int64_t end, int64_t issued,
           int64_t pipeFree);

private:
  struct Set {
    int64_t number, end;
  };
  struct PipeLog {
    int64_t last = -1;            ///< number of the last event
    std::vector<int64_t> started; ///< of the last events, as many as the queue is deep
    size_t next = 0;
  };
  PipeLog &log(unsigned unit, Pipe pipe) {
    return pipes_[unit * allPipes.size() + static_cast<size_t>(pipe)];
  }
  void emit(Event event);

  EventSink &sink_;
  int64_t block_, origin_ = -1, bytes_ = 0;
  std::span<const int64_t> slots_;
  int64_t number_ = 0, last_ = -1, lastEnd_ = 0;
  std::vector<PipeLog> pipes_;
  std::vector<llvm::SmallVector<Set, 1>> pending_; ///< by flag, oldest first
  llvm::SmallVector<int64_t, 2> taken_;            ///< by the current wait
  Set holder_{-1, 0};                              ///< the last of them
};

} // namespace mmk
