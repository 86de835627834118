// The clock of the emulated AI core: the time of a sequence of instructions. It knows pipes, queues
// and flags, and not the IR. It emits events; a report is a view over them.
#pragma once

#include "machines/machine.h"
#include "runtime/event_log.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mmk {

/// Busy cycles by pipe, in the order of `allPipes`.
using PipeCycles = std::array<int64_t, allPipes.size()>;

/// What one block did in one phase.
struct BlockTime {
  int64_t end = 0;                ///< when its last pipe is done
  bool worked = false;            ///< executed anything besides flags
  std::vector<PipeCycles> busy;   ///< by unit
  std::vector<int64_t> ends = {}; ///< by unit: when the last of its pipes is done
  int64_t moved = 0;              ///< bytes of global memory that its pipes were charged
};

/// A counter between two pipes. Up to `capacity` sets may be ahead of the waits; one more is lost.
template <unsigned capacity> class Flag {
public:
  bool isUp() const { return waits_ != sets_; }
  /// The time of the set that the next wait consumes.
  int64_t upAt() const { return up_[waits_ % capacity]; }
  /// False when the flag is full, also when the waits that free it come too late.
  bool set(int64_t time) {
    if (sets_ - waits_ == capacity || (sets_ >= capacity && time < down_[sets_ % capacity]))
      return false;
    up_[sets_++ % capacity] = time;
    return true;
  }
  void wait(int64_t time) { down_[waits_++ % capacity] = time; }

  bool wasUsed() const { return sets_ > 0; }
  /// Sets that are ahead of the waits.
  unsigned pending() const { return sets_ - waits_; }
  /// The time of the set that the wait after the next `later` ones consumes.
  int64_t &up(unsigned later) { return up_[(waits_ + later) % capacity]; }
  /// The time of the wait that frees the flag for the set after the next `later` ones.
  int64_t &down(unsigned later) { return down_[(sets_ + later) % capacity]; }
  /// Sets the state to that after many sets, of which `pending` are ahead of the waits.
  void resume(unsigned pending) { sets_ = capacity + pending, waits_ = capacity; }

private:
  // A block has many of them, which are zeroed together: hence no initialisers.
  uint32_t sets_, waits_;
  std::array<int64_t, capacity> up_, down_;
};

/// The pipes of one block: a cube core and its vector cores, each with a scalar unit that issues in
/// order into the queues of its pipes and stalls at a full one. An instruction leaves its queue
/// when it starts, which is when it was issued, its pipe is free, and its flag is up.
///
/// Flags are the only other order, so instructions may be given in program order, each timed once.
/// The calls that return false found a misuse, which `fault` describes; the time is void then.
class BlockClock {
public:
  BlockClock(const Machine &machine, int64_t block, int64_t start = 0, EventSink *sink = nullptr);

  /// The origin of the following instructions, for the sink: see Event. `slots` is read until the
  /// next call.
  void from(int64_t origin, std::span<const int64_t> slots) {
    if (log_) [[unlikely]]
      log_->from(origin, slots);
  }
  /// The next instruction moves `bytes` of global memory, for the sink.
  void moves(int64_t bytes) {
    if (log_) [[unlikely]]
      log_->moves(bytes);
  }
  void execute(unsigned unit, Pipe pipe, int64_t cycles, Work work);
  /// Takes effect when all earlier work of `from` is done.
  bool setFlag(unsigned unit, Pipe from, Pipe to, int64_t event);
  /// Holds `to` until the flag is up, and takes it down.
  bool waitFlag(unsigned unit, Pipe from, Pipe to, int64_t event);
  /// From the cube core to each vector core, or from a vector core to the cube core.
  bool setCross(unsigned unit, Pipe pipe, int64_t flag);
  /// On the cube core: until all vector cores have set. Holds `pipe`, or where the machine's waits
  /// hold the core, its scalar unit and with it all that the unit has not issued yet.
  bool waitCross(unsigned unit, Pipe pipe, int64_t flag);
  /// Later work of the pipe starts when all its earlier work is done; every pipe is in order, so
  /// this costs no more than a flag.
  void barrier(unsigned unit, Pipe pipe);
  /// The same for all pipes of the unit together, except its scalar unit, which continues to issue.
  void barrierOfAll(unsigned unit);

  /// Whether all flags are down, as the end of a phase must leave them.
  bool finish();

  unsigned units() const { return units_.size(); }
  const std::string &fault() const { return fault_; }
  BlockTime time() const;

  /// Some of the units, and the flags among them.
  struct Units {
    unsigned first = 0, count = 1;
  };
  /// Appends the state that decides the future of these units, with times relative to the returned
  /// one. Clocks with equal states behave equally from there on. Times that nothing can wait for
  /// any more, because the scalar unit is past them, are left out.
  int64_t save(Units units, std::vector<int64_t> &state);
  /// Restores a state of a clock of the same machine, shifted to another time.
  void restore(Units units, llvm::ArrayRef<int64_t> state, int64_t base);
  /// Appends the busy cycles of all pipes, by unit.
  void busy(std::vector<int64_t> &cycles) const;
  void addBusy(llvm::ArrayRef<int64_t> cycles);

private:
  struct Queue {
    int64_t free = 0, busy = 0;
    std::vector<int64_t> starts; ///< of the last instructions, as many as the queue is deep
    size_t next = 0;
  };
  struct UnitState {
    std::array<Queue, allPipes.size()> pipes;
    int64_t writeStall =
        0; ///< of L1 reads since the last transfer into L1, which the next one pays
  };
  using EventFlag = Flag<1>;
  using CrossFlag = Flag<15>;

  int64_t run(unsigned unit, Pipe pipe, int64_t earliest, int64_t cycles, Work work);
  /// Cycles that a transfer takes when MTE1 reads L1 while MTE2 fills it.
  int64_t inContention(unsigned unit, Pipe pipe, int64_t cycles);
  EventFlag *eventFlag(unsigned unit, Pipe from, Pipe to, int64_t event);
  /// Of the flags between the cube core and its first vector core; the others' follow.
  CrossFlag *crossFlags(bool toCube, int64_t flag);
  /// Numbers of flags in the log.
  size_t numberOf(const EventFlag *flag) const { return flag - eventFlags_.data(); }
  size_t numberOf(const CrossFlag *flag) const {
    return eventFlags_.size() + (flag - crossFlags_.data());
  }
  /// Calls `visit(flag, when its waiter and when its setter can act at the earliest)` for a flag.
  template <typename Visit> void visitFlag(size_t number, Visit visit);
  bool isAmong(Units units, size_t flag) const;
  bool fail(std::string message);

  int64_t eventIds_, crossFlagCount_, flagCycles_, crossFlagCycles_, issueCycles_;
  bool crossWaitHoldsCore_;
  int64_t readStall_, writeStall_; ///< of L1, in `stallUnit`ths of a cycle
  std::unique_ptr<EventLog> log_;  ///< when there is a sink
  bool worked_ = false;
  std::vector<UnitState> units_;
  std::vector<EventFlag> eventFlags_;
  std::vector<CrossFlag> crossFlags_;
  std::vector<size_t> usedFlags_; ///< numbers of flags: first those of events, then the others
  std::string fault_;
};

/// A lower bound on the time of a kernel's first block, and the work behind it: that of the cube
/// core by pipe, and of its busier vector core. Flags are no work.
struct LeastTime {
  int64_t cycles = 0;
  /// Until the last product is done; the work on its result; phases without products.
  int64_t multiplied = 0, drain = 0, rest = 0;
  PipeCycles cubeWork{}, vectorWork{};
};

/// Elements of reductions and results behind conditions.
struct CoveredElements {
  int64_t all = 0;     ///< 0: there are none
  int64_t skipped = 0; ///< neither loaded nor computed
  int64_t full = 0;    ///< computed without the condition, in parts where all satisfy it
  /// Whether some conditions are on data that the count did not have, and exclude nothing in it.
  bool isAssumed = false;
};

/// Time of a kernel on an emulated machine. All from integer cycles, so it is the same everywhere.
struct ClockReport {
  int64_t cycles = 0;            ///< of the slowest core, all phases
  double microseconds = 0;       ///< the kernel alone
  int64_t taskCycles = 0;        ///< of `cycles`, what passes beside the instructions
  bool usesBothKinds = false;    ///< of a split chip's cores
  double taskMicroseconds = 0;   ///< `taskCycles`
  double launchMicroseconds = 0; ///< before the task
  int64_t cores = 0;             ///< blocks that had work
  /// From the start of its phase to its own end, of all cube cores (on a coupled chip all cores)
  /// and of all vector cores that had work, together.
  int64_t cubeCoreCycles = 0, vectorCoreCycles = 0;
  struct PipeTime {
    int64_t busyCycles = 0; ///< mean over the cores that have work
    double busyMicroseconds = 0, ratio = 0;
  };
  using PipeTimes = std::array<PipeTime, allPipes.size()>;
  /// Of the cube cores, and the mean of the vector cores; on a coupled chip all is in the first.
  PipeTimes cubeUnit, vectorUnits;
  /// The busier of the two: cube and vector cores both have a scalar unit and an MTE2, which run
  /// side by side, so that a sum would exceed the time.
  PipeTimes pipes;
  Pipe bound = Pipe::cube; ///< the busiest pipe
  double boundMicroseconds = 0;
  int64_t movedBytes = 0; ///< between global memory and all cores, as their pipes are charged
  CoveredElements covered;
  LeastTime least; ///< all phases
};

/// Cycles of a task outside of its phases, all of them counted behind the last; `usesBothKinds`: of
/// a split chip's cores.
int64_t taskCycles(const Machine &machine, bool usesBothKinds = false);

/// Combines blocks and phases: all blocks of a phase start when the previous phase has ended.
class KernelTime {
public:
  KernelTime(const Machine &machine, int64_t blocks);

  /// When the current phase starts.
  int64_t start() const { return start_; }
  void add(int64_t block, const BlockTime &time);
  /// Behind its blocks, and not before `least`, when memory has moved its bytes.
  void endPhase(int64_t least);
  ClockReport report() const;

private:
  /// Whether cube cores and vector cores have moved or computed anything.
  bool usesBothKinds() const;

  struct BlockTotal {
    bool worked = false;
    std::vector<PipeCycles> busy;
    std::vector<int64_t> cycles; ///< by unit
  };
  const Machine &machine_;
  int64_t start_ = 0, end_ = 0, moved_ = 0;
  std::vector<BlockTotal> blocks_;
};

} // namespace mmk
