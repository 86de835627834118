// Repeated work takes repeated time: an iteration that starts in the same state of the clock as an
// earlier one, and does the same work, leaves the same state, only later. So each is timed once,
// and its repetitions are looked up, exact to the cycle.
#pragma once

#include "count/run.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"

namespace mmk::count {

/// A block's clock as a core of the interpreter: times every instruction.
class TimedCore : public BlockClock {
public:
  using BlockClock::BlockClock;
  bool execute(unsigned unit, Pipe pipe, const Instruction &it, Cost cost, Amount amount) {
    BlockClock::execute(unit, pipe, cost.cycles(amount.rows, amount.amount), it.work);
    return true;
  }
  bool barrier(unsigned unit, std::optional<Pipe> pipe) {
    if (pipe)
      BlockClock::barrier(unit, *pipe);
    else
      barrierOfAll(unit);
    return true;
  }
};

/// The iterations that were timed, of all loops and blocks of one program.
class KnownIterations {
public:
  /// Lists of numbers, each with a number of its own.
  class Names {
  public:
    uint32_t of(llvm::ArrayRef<int64_t> list);
    llvm::ArrayRef<int64_t> operator[](uint32_t name) const { return lists_[name]; }

  private:
    llvm::BumpPtrAllocator allocator_;
    llvm::DenseMap<llvm::ArrayRef<int64_t>, uint32_t> names_;
    std::vector<llvm::ArrayRef<int64_t>> lists_;
  };

  /// The effect of an iteration on the clock.
  struct Effect {
    uint32_t state = 0; ///< after the iteration
    int64_t cycles = 0;
    int64_t moved = 0;         ///< bytes of global memory
    std::vector<int64_t> busy; ///< cycles that it adds, as BlockClock::busy has them
  };

  explicit KnownIterations(const CountProgram &program)
      : program(program), useOf_(program.loops.size()) {}

  const Effect *find(const Loop &loop, uint32_t state, uint32_t work);
  void add(uint32_t state, uint32_t work, Effect effect) {
    effects_.try_emplace({state, work}, std::move(effect));
  }
  /// Whether looking up is worth while: iterations of some loops are all different.
  bool areAlike(const Loop &loop) const;

  const CountProgram &program;
  Names states, works;

private:
  struct Use {
    int64_t hits = 0, misses = 0;
  };
  size_t numberOf(const Loop &loop) const { return &loop - program.loops.data(); }

  llvm::DenseMap<std::pair<uint32_t, uint32_t>, Effect> effects_;
  std::vector<Use> useOf_;
};

/// Times every iteration of its kind once.
class RepeatingCore : public TimedCore {
public:
  RepeatingCore(KnownIterations &known, const Machine &machine, int64_t block, int64_t start)
      : TimedCore(machine, block, start), known_(known) {}

  bool execute(unsigned unit, Pipe pipe, const Instruction &it, Cost cost, Amount amount) {
    moved_ += it.link ? amount.amount : 0;
    return TimedCore::execute(unit, pipe, it, cost, amount);
  }

  using Interpreter = count::Interpreter<RepeatingCore>;
  LoopAction enter(Interpreter &interpreter, const Loop &loop);

  BlockTime time() const {
    BlockTime time = TimedCore::time();
    time.moved = moved_;
    return time;
  }

private:
  int64_t moved_ = 0;
  KnownIterations &known_;
  std::vector<int64_t> held_;
};

} // namespace mmk::count
