#include "runtime/clock.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace mmk {
namespace {

constexpr size_t pipeCount = allPipes.size();
constexpr int64_t stallUnit = 1024;

size_t indexOf(Pipe pipe) { return static_cast<size_t>(pipe); }

std::string nameOf(unsigned unit) {
  return unit == 0 ? "the cube core" : fmt::format("vector core {}", unit - 1);
}

std::string nameOf(Pipe from, Pipe to, int64_t event) {
  return fmt::format("[{} -> {}] {}", spelling(from), spelling(to), event);
}

} // namespace

BlockClock::BlockClock(const Machine &machine, int64_t block, int64_t start, EventSink *sink)
    : eventIds_(machine.eventIds), crossFlagCount_(machine.crossFlags),
      flagCycles_(static_cast<int64_t>(std::ceil(machine.flagCycles))),
      crossFlagCycles_(static_cast<int64_t>(std::ceil(machine.crossFlagCycles))),
      issueCycles_(static_cast<int64_t>(std::ceil(machine.issueCycles))),
      crossWaitHoldsCore_(machine.crossWaitHoldsCore), readStall_(0), writeStall_(0) {
  if (const auto l1 = machine.memories.find(Memory::l1); l1 != machine.memories.end()) {
    readStall_ = std::llround(l1->second.readStall * stallUnit);
    writeStall_ = std::llround(l1->second.writeStall * stallUnit);
  }
  const bool split = machine.topology == Topology::split;
  units_.resize(split ? 1 + machine.vectorCoresPerCube : 1);
  for (UnitState &unit : units_)
    for (Queue &queue : unit.pipes) {
      queue.free = start;
      queue.starts.assign(std::max<int64_t>(1, machine.queueDepth), start);
    }
  eventFlags_.resize(units_.size() * pipeCount * pipeCount * eventIds_);
  crossFlags_.resize(2 * crossFlagCount_ * (units_.size() - 1));
  if (sink)
    log_ = std::make_unique<EventLog>(*sink, block, units_.size(), machine.queueDepth,
                                      eventFlags_.size() + crossFlags_.size());
}

bool BlockClock::fail(std::string message) {
  fault_ = std::move(message);
  return false;
}

int64_t BlockClock::run(unsigned unit, Pipe pipe, int64_t earliest, int64_t cycles, Work work) {
  Queue &scalar = units_[unit].pipes[indexOf(Pipe::scalar)];
  Queue &queue = units_[unit].pipes[indexOf(pipe)];
  if (&queue != &scalar) {
    int64_t &oldest = queue.starts[queue.next];
    const int64_t issue = std::max(scalar.free, oldest);
    if (log_) [[unlikely]]
      log_->issue(unit, pipe, issue, issue + issueCycles_, oldest > scalar.free);
    scalar.free = issue + issueCycles_;
    scalar.busy += issueCycles_;
    earliest = std::max(earliest, scalar.free);
    oldest = std::max(earliest, queue.free);
    if (++queue.next == queue.starts.size())
      queue.next = 0;
  }
  const int64_t start = std::max(earliest, queue.free);
  if (log_) [[unlikely]]
    log_->run(unit, pipe, work, start, start + cycles, scalar.free, queue.free);
  queue.free = start + cycles;
  queue.busy += cycles;
  return queue.free;
}

void BlockClock::execute(unsigned unit, Pipe pipe, int64_t cycles, Work work) {
  worked_ = true;
  if (pipe == Pipe::mte1 || pipe == Pipe::mte2)
    cycles = inContention(unit, pipe, cycles);
  run(unit, pipe, 0, cycles, work);
}

// Instructions are timed in program order, in which a load is before the reads that overlap with
// it. So a read is longer by its own stall, and leaves that of the load to the next load.
int64_t BlockClock::inContention(unsigned unit, Pipe pipe, int64_t cycles) {
  UnitState &state = units_[unit];
  if (pipe == Pipe::mte2)
    return cycles + std::exchange(state.writeStall, 0);
  const int64_t filled = state.pipes[indexOf(Pipe::mte2)].free;
  const Queue &reads = state.pipes[indexOf(Pipe::mte1)];
  const int64_t issued =
      std::max(state.pipes[indexOf(Pipe::scalar)].free, reads.starts[reads.next]) + issueCycles_;
  const int64_t window = filled - std::max(issued, reads.free);
  if (window <= 0)
    return cycles;
  // Of `both` cycles in which both work, the read needs all but its stall.
  const int64_t both = std::min(window, cycles + cycles * readStall_ / stallUnit);
  state.writeStall += both * writeStall_ / stallUnit;
  return cycles + both * readStall_ / (stallUnit + readStall_);
}

void BlockClock::barrier(unsigned unit, Pipe pipe) {
  run(unit, pipe, 0, flagCycles_, Work::barrier);
}

void BlockClock::barrierOfAll(unsigned unit) {
  Pipe last = Pipe::mte1;
  auto free = [&](Pipe pipe) { return units_[unit].pipes[indexOf(pipe)].free; };
  for (Pipe pipe : allPipes)
    if (pipe != Pipe::scalar && free(pipe) > free(last))
      last = pipe;
  const int64_t done = free(last);
  const int64_t number = log_ ? log_->lastOf(unit, last) : -1;
  for (Pipe pipe : allPipes)
    if (pipe != Pipe::scalar) {
      if (log_) [[unlikely]]
        log_->holdUntil(number, done);
      run(unit, pipe, done, flagCycles_, Work::barrier);
    }
}

BlockClock::EventFlag *BlockClock::eventFlag(unsigned unit, Pipe from, Pipe to, int64_t event) {
  if (event < 0 || event >= eventIds_) {
    fail(fmt::format("event {} of the pipes {} -> {}, which have the events 0 to {}", event,
                     spelling(from), spelling(to), eventIds_ - 1));
    return nullptr;
  }
  const size_t pair = (unit * pipeCount + indexOf(from)) * pipeCount + indexOf(to);
  return &eventFlags_[pair * eventIds_ + event];
}

bool BlockClock::setFlag(unsigned unit, Pipe from, Pipe to, int64_t event) {
  EventFlag *flag = eventFlag(unit, from, to, event);
  if (!flag)
    return false;
  if (!flag->wasUsed())
    usedFlags_.push_back(numberOf(flag));
  if (flag->set(run(unit, from, 0, flagCycles_, Work::set))) {
    if (log_) [[unlikely]]
      log_->setBy(numberOf(flag));
    return true;
  }
  return fail(fmt::format("the flag {} of {} is set again before {} has waited for it",
                          nameOf(from, to, event), nameOf(unit), spelling(to)));
}

bool BlockClock::waitFlag(unsigned unit, Pipe from, Pipe to, int64_t event) {
  EventFlag *flag = eventFlag(unit, from, to, event);
  if (!flag)
    return false;
  if (!flag->isUp())
    return fail(fmt::format("deadlock: {} of {} waits for the flag {}, which nothing before sets",
                            spelling(to), nameOf(unit), nameOf(from, to, event)));
  if (log_) [[unlikely]]
    log_->take(numberOf(flag));
  flag->wait(run(unit, to, flag->upAt(), flagCycles_, Work::wait));
  return true;
}

BlockClock::CrossFlag *BlockClock::crossFlags(bool toCube, int64_t flag) {
  if (units_.size() == 1) {
    fail("a flag between cube and vector cores, which on this machine are one core");
    return nullptr;
  }
  if (flag < 0 || flag >= crossFlagCount_) {
    fail(fmt::format("flag {} between cube and vector cores, which have the flags 0 to {}", flag,
                     crossFlagCount_ - 1));
    return nullptr;
  }
  return &crossFlags_[((toCube ? crossFlagCount_ : 0) + flag) * (units_.size() - 1)];
}

bool BlockClock::setCross(unsigned unit, Pipe pipe, int64_t flag) {
  CrossFlag *flags = crossFlags(unit != 0, flag);
  if (!flags)
    return false;
  const int64_t time = run(unit, pipe, 0, flagCycles_, Work::set) + crossFlagCycles_;
  const size_t first = unit == 0 ? 0 : unit - 1, last = unit == 0 ? units_.size() - 1 : unit;
  for (size_t core = first; core < last; ++core) {
    if (!flags[core].wasUsed())
      usedFlags_.push_back(numberOf(&flags[core]));
    if (!flags[core].set(time))
      return fail(fmt::format("the cross-core flag {} of {} is set a 16th time before {} has "
                              "waited for it",
                              flag, nameOf(unit), nameOf(unit == 0 ? core + 1 : 0)));
    if (log_) [[unlikely]]
      log_->setBy(numberOf(&flags[core]));
  }
  return true;
}

bool BlockClock::waitCross(unsigned unit, Pipe pipe, int64_t flag) {
  CrossFlag *flags = crossFlags(unit == 0, flag);
  if (!flags)
    return false;
  const size_t first = unit == 0 ? 0 : unit - 1, last = unit == 0 ? units_.size() - 1 : unit;
  int64_t up = 0;
  for (size_t core = first; core < last; ++core) {
    if (!flags[core].isUp())
      return fail(fmt::format("deadlock: {} of {} waits for the cross-core flag {}, which {} does "
                              "not set before",
                              spelling(pipe), nameOf(unit), flag,
                              nameOf(unit == 0 ? core + 1 : 0)));
    up = std::max(up, flags[core].upAt());
    if (log_) [[unlikely]]
      log_->take(numberOf(&flags[core]));
  }
  const Pipe held = crossWaitHoldsCore_ ? Pipe::scalar : pipe;
  const int64_t time = run(unit, held, up, flagCycles_, Work::wait);
  for (size_t core = first; core < last; ++core)
    flags[core].wait(time);
  return true;
}

template <typename Visit> void BlockClock::visitFlag(size_t number, Visit visit) {
  auto issue = [&](size_t unit) { return units_[unit].pipes[indexOf(Pipe::scalar)].free; };
  if (number < eventFlags_.size()) {
    const int64_t both = issue(number / (pipeCount * pipeCount * eventIds_));
    return visit(eventFlags_[number], both, both);
  }
  const size_t cross = number - eventFlags_.size(), cores = units_.size() - 1;
  const bool toCube = cross / cores >= static_cast<size_t>(crossFlagCount_);
  const int64_t cube = issue(0), core = issue(1 + cross % cores);
  visit(crossFlags_[cross], toCube ? cube : core, toCube ? core : cube);
}

bool BlockClock::finish() {
  const size_t none = eventFlags_.size() + crossFlags_.size();
  size_t left = none;
  for (size_t number : usedFlags_)
    visitFlag(number, [&](const auto &flag, int64_t, int64_t) {
      left = flag.isUp() ? std::min(left, number) : left;
    });
  if (left == none)
    return true;
  if (left < eventFlags_.size()) {
    const size_t event = left % eventIds_, pair = left / eventIds_;
    const Pipe to = allPipes[pair % pipeCount], from = allPipes[pair / pipeCount % pipeCount];
    return fail(fmt::format("the flag {} of {} is left set at the end", nameOf(from, to, event),
                            nameOf(pair / (pipeCount * pipeCount))));
  }
  const size_t cross = left - eventFlags_.size(), cores = units_.size() - 1;
  const int64_t flag = cross / cores;
  const bool toCube = flag >= crossFlagCount_;
  const size_t core = 1 + cross % cores;
  return fail(fmt::format("the cross-core flag {} from {} to {} is left set at the end",
                          flag % crossFlagCount_, nameOf(toCube ? core : 0),
                          nameOf(toCube ? 0 : core)));
}

BlockTime BlockClock::time() const {
  BlockTime time;
  time.worked = worked_;
  for (const UnitState &unit : units_) {
    PipeCycles busy{};
    int64_t unitEnd = 0;
    for (size_t pipe = 0; pipe < pipeCount; ++pipe) {
      unitEnd = std::max(unitEnd, unit.pipes[pipe].free);
      busy[pipe] = unit.pipes[pipe].busy;
    }
    time.end = std::max(time.end, unitEnd);
    time.busy.push_back(busy);
    time.ends.push_back(unitEnd);
  }
  return time;
}

//===--- states ---------------------------------------------------------------------------===//

// Flags between cores belong to all.
bool BlockClock::isAmong(Units units, size_t flag) const {
  const size_t unit = flag / (pipeCount * pipeCount * eventIds_);
  return units.count == units_.size() || (unit >= units.first && unit < units.first + units.count);
}

int64_t BlockClock::save(Units units, std::vector<int64_t> &state) {
  const int64_t base = units_[units.first].pipes[indexOf(Pipe::scalar)].free;
  state.push_back(worked_);
  for (unsigned i = units.first; i < units.first + units.count; ++i) {
    const UnitState &unit = units_[i];
    const int64_t issue = unit.pipes[indexOf(Pipe::scalar)].free;
    state.push_back(issue - base);
    state.push_back(unit.writeStall);
    for (Pipe pipe : allPipes) {
      if (pipe == Pipe::scalar)
        continue;
      const Queue &queue = unit.pipes[indexOf(pipe)];
      const size_t depth = queue.starts.size();
      auto start = [&](size_t age) { return queue.starts[(queue.next + depth - 1 - age) % depth]; };
      size_t waiting = 0;
      while (waiting < depth && start(waiting) > issue)
        ++waiting;
      state.push_back(std::max(queue.free, issue) - base);
      state.push_back(waiting);
      for (size_t age = 0; age < waiting; ++age)
        state.push_back(start(age) - base);
    }
  }
  for (size_t number : usedFlags_) {
    if (!isAmong(units, number))
      continue;
    visitFlag(number, [&]<unsigned capacity>(Flag<capacity> &flag, int64_t waiter, int64_t setter) {
      state.push_back(number);
      state.push_back(flag.pending());
      for (unsigned i = 0; i < flag.pending(); ++i)
        state.push_back(std::max(flag.up(i), waiter) - base);
      for (unsigned i = 0; i < capacity - flag.pending(); ++i)
        state.push_back(std::max(flag.down(i), setter) - base);
    });
  }
  return base;
}

void BlockClock::restore(Units units, llvm::ArrayRef<int64_t> state, int64_t base) {
  const int64_t *next = state.begin();
  worked_ = *next++;
  for (unsigned i = units.first; i < units.first + units.count; ++i) {
    UnitState &unit = units_[i];
    const int64_t issue = unit.pipes[indexOf(Pipe::scalar)].free = base + *next++;
    unit.writeStall = *next++;
    for (Pipe pipe : allPipes) {
      if (pipe == Pipe::scalar)
        continue;
      Queue &queue = unit.pipes[indexOf(pipe)];
      queue.free = base + *next++;
      const size_t depth = queue.starts.size(), waiting = *next++;
      queue.next = 0;
      for (size_t age = 0; age < depth; ++age)
        queue.starts[depth - 1 - age] = age < waiting ? base + *next++ : issue;
    }
  }
  std::erase_if(usedFlags_, [&](size_t flag) { return isAmong(units, flag); });
  while (next != state.end()) {
    usedFlags_.push_back(*next++);
    visitFlag(usedFlags_.back(), [&]<unsigned capacity>(Flag<capacity> &flag, int64_t, int64_t) {
      flag.resume(*next++);
      for (unsigned i = 0; i < flag.pending(); ++i)
        flag.up(i) = base + *next++;
      for (unsigned i = 0; i < capacity - flag.pending(); ++i)
        flag.down(i) = base + *next++;
    });
  }
}

void BlockClock::busy(std::vector<int64_t> &cycles) const {
  for (const UnitState &unit : units_)
    for (const Queue &queue : unit.pipes)
      cycles.push_back(queue.busy);
}

void BlockClock::addBusy(llvm::ArrayRef<int64_t> cycles) {
  const int64_t *next = cycles.begin();
  for (UnitState &unit : units_)
    for (Queue &queue : unit.pipes)
      queue.busy += *next++;
}

} // namespace mmk
