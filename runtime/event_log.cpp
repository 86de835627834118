#include "runtime/event_log.h"

#include <algorithm>

namespace mmk {

EventLog::EventLog(EventSink &sink, int64_t block, unsigned units, int64_t queueDepth, size_t flags)
    : sink_(sink), block_(block), pipes_(units * allPipes.size()), pending_(flags) {
  for (PipeLog &pipe : pipes_)
    pipe.started.assign(std::max<int64_t>(1, queueDepth), -1);
}

void EventLog::take(size_t flag) {
  const Set set = pending_[flag].front();
  pending_[flag].erase(pending_[flag].begin());
  taken_.push_back(set.number);
  if (holder_.number < 0 || set.end > holder_.end)
    holder_ = set;
}

void EventLog::setBy(size_t flag) { pending_[flag].push_back({last_, lastEnd_}); }

void EventLog::emit(Event event) {
  event.block = block_;
  event.number = number_++;
  event.origin = origin_;
  event.slots = slots_;
  event.bytes = event.work == Work::issue ? 0 : bytes_;
  log(event.unit, event.pipe).last = event.number;
  last_ = event.number;
  lastEnd_ = event.end;
  sink_.see(event);
}

void EventLog::issue(unsigned unit, Pipe pipe, int64_t start, int64_t end, bool queueWasFull) {
  const PipeLog &queue = log(unit, pipe);
  const int64_t before = log(unit, Pipe::scalar).last;
  emit({.unit = unit,
        .pipe = Pipe::scalar,
        .work = Work::issue,
        .start = start,
        .end = end,
        .cause = queueWasFull  ? Cause::queue
                 : before >= 0 ? Cause::pipe
                               : Cause::nothing,
        .after = queueWasFull ? queue.started[queue.next] : before});
}

void EventLog::run(unsigned unit, Pipe pipe, Work work, int64_t start, int64_t end, int64_t issued,
                   int64_t pipeFree) {
  PipeLog &queue = log(unit, pipe);
  Event event{.unit = unit, .pipe = pipe, .work = work, .start = start, .end = end};
  const bool isIssued = pipe != Pipe::scalar;
  if (start == pipeFree && queue.last >= 0) {
    event.cause = Cause::pipe;
    event.after = queue.last;
  } else if (isIssued && start == issued) {
    event.cause = Cause::issue;
    event.after = log(unit, Pipe::scalar).last;
  } else if (start > pipeFree && holder_.number >= 0) {
    event.cause = Cause::flag;
    event.after = holder_.number;
    event.waited = start - std::max(isIssued ? issued : pipeFree, pipeFree);
  }
  event.sets = taken_;
  if (isIssued) {
    queue.started[queue.next] = number_;
    if (++queue.next == queue.started.size())
      queue.next = 0;
  }
  emit(event);
  taken_.clear();
  holder_ = {-1, 0};
}

} // namespace mmk
