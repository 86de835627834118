#include "codegen/count.h"

#include "codegen/count_program.h"
#include "codegen/count_run.h"

using namespace mlir;

namespace mmk {
namespace {

/// Stops at the first instruction that is not a flag: the block has work.
struct WorkFinder {
  bool execute(unsigned, Pipe, int64_t, Work) {
    found = true;
    return false;
  }
  bool setFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool waitFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool setCross(unsigned, Pipe, int64_t) { return true; }
  bool waitCross(unsigned, Pipe, int64_t) { return true; }
  bool barrier(unsigned, Pipe) { return true; }
  bool found = false;
};

/// A block's clock, as the interpreter wants it.
struct TimedCore : BlockClock {
  using BlockClock::BlockClock;
  bool execute(unsigned unit, Pipe pipe, int64_t cycles, Work work) {
    BlockClock::execute(unit, pipe, cycles, work);
    return true;
  }
  bool barrier(unsigned unit, Pipe pipe) {
    BlockClock::barrier(unit, pipe);
    return true;
  }
};

class PhaseCount {
public:
  PhaseCount(aicore::PhaseOp phase, count::Program program, const Machine &machine, int64_t blocks,
             EventSink *events)
      : phase_(phase), program_(std::move(program)), machine_(machine), blocks_(blocks),
        events_(events) {}

  llvm::Error run(KernelTime &time) {
    const GlobalMemory memory(machine_, activeBlocks());
    program_.setMemory(memory);
    for (int64_t block = 0; block < blocks_; ++block) {
      TimedCore core(machine_, block, time.start(), events_);
      const count::RunEnd end = runBlock(block, memory, core);
      if (!end.finished)
        return count::fault(program_.origins[end.step],
                            (end.reason ? end.reason : core.fault()) + inBlock(block));
      if (!core.finish())
        return count::fault(phase_, core.fault() + inBlock(block));
      time.add(block, core.time());
    }
    time.endPhase();
    return llvm::Error::success();
  }

private:
  static std::string inBlock(int64_t block) { return ", in block " + std::to_string(block); }

  template <typename Core>
  count::RunEnd runBlock(int64_t block, const GlobalMemory &memory, Core &core) {
    values_ = program_.values;
    values_[program_.block] = block;
    return count::run(program_, memory, values_, core);
  }

  /// Blocks that share global memory.
  int64_t activeBlocks() {
    const GlobalMemory alone(machine_, 1);
    int64_t active = 0;
    for (int64_t block = 0; block < blocks_; ++block) {
      WorkFinder core;
      runBlock(block, alone, core);
      active += core.found;
    }
    return active;
  }

  aicore::PhaseOp phase_;
  count::Program program_;
  const Machine &machine_;
  int64_t blocks_;
  EventSink *events_;
  std::vector<int64_t> values_;
};

} // namespace

llvm::Expected<ClockReport> countKernel(aicore::KernelOp kernel, const Machine &machine,
                                        ArrayRef<int64_t> dims, EventSink *events) {
  if (dims.size() != kernel.getDims().size())
    return count::fault(kernel, "has " + Twine(kernel.getDims().size()) + " dimensions, but " +
                                    Twine(dims.size()) + " values were given");
  const int64_t blocks = kernel.getCores();
  if (blocks > machine.cubeCores)
    return count::fault(kernel, "is dealt to " + Twine(blocks) + " cores, but " + machine.name +
                                    " has " + Twine(machine.cubeCores));
  KernelTime time(machine, blocks);
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
    llvm::Expected<count::Program> program = count::compile(phase, machine, dims);
    if (!program)
      return program.takeError();
    if (llvm::Error error =
            PhaseCount(phase, std::move(*program), machine, blocks, events).run(time))
      return std::move(error);
  }
  return time.report();
}

} // namespace mmk
