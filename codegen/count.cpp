#include "codegen/count.h"

#include "codegen/count_origins.h"
#include "codegen/count_program.h"
#include "codegen/count_run.h"
#include "runtime/l2.h"

using namespace mlir;

namespace mmk {
namespace {

/// A transfer as L2 sees it.
struct Use {
  uint64_t piece = 0;
  int64_t bytes = 0;
  int32_t tensor = 0;
  bool isLoad = false;
};

/// Takes note of what a block moves between tensors and its cores, and on request of every use.
struct Survey {
  bool execute(unsigned, Pipe, const count::Instruction &it, Cost, count::Amount amount) {
    worked = true;
    (it.loadsTensor() ? tensors[it.tensor].loaded : tensors[it.tensor].stored) += amount.amount;
    if (uses)
      uses->push_back(
          {amount.start * tensors.size() + it.tensor, amount.amount, it.tensor, it.loadsTensor()});
    return true;
  }
  bool setFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool waitFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool setCross(unsigned, Pipe, int64_t) { return true; }
  bool waitCross(unsigned, Pipe, int64_t) { return true; }
  bool barrier(unsigned, Pipe) { return true; }

  std::vector<TensorTraffic> &tensors;
  std::vector<Use> *uses = nullptr;
  bool worked = false;
};

/// A block's clock, as the interpreter wants it.
struct TimedCore : BlockClock {
  using BlockClock::BlockClock;
  bool execute(unsigned unit, Pipe pipe, const count::Instruction &it, Cost cost,
               count::Amount amount) {
    BlockClock::execute(unit, pipe, cost.cycles(amount.rows, amount.amount), it.work);
    return true;
  }
  bool barrier(unsigned unit, Pipe pipe) {
    BlockClock::barrier(unit, pipe);
    return true;
  }
};

/// One whose events say what they come from.
struct WatchedCore : TimedCore {
  WatchedCore(const Machine &machine, int64_t block, int64_t start, EventSink &sink,
              count::Origins &origins)
      : TimedCore(machine, block, start, &sink), origins_(origins) {}
  void at(size_t step, const int64_t *values) { from(step, origins_.slotsAt(step, values)); }
  bool execute(unsigned unit, Pipe pipe, const count::Instruction &it, Cost cost,
               count::Amount amount) {
    if (it.link)
      moves(amount.amount);
    return TimedCore::execute(unit, pipe, it, cost, amount);
  }

private:
  count::Origins &origins_;
};

template <typename Core>
count::RunEnd runBlock(const count::Program &program, std::vector<int64_t> &values, int64_t block,
                       Core &core) {
  values = program.values;
  values[program.block] = block;
  return count::run(program, values, core);
}

int64_t bytesOf(const count::TensorShape &shape, const std::vector<int64_t> &values) {
  int64_t bytes = shape.elementBytes;
  for (int32_t extent : shape.extents)
    bytes *= values[extent];
  return bytes;
}

/// Lets the transfers of all blocks pass L2. Blocks have alike work, so their n-th transfers come
/// at about the same time.
void findMisses(const std::vector<std::vector<Use>> &usesOfBlocks, const Machine &machine,
                std::vector<TensorTraffic> &tensors) {
  size_t most = 0;
  for (const std::vector<Use> &uses : usesOfBlocks)
    most = std::max(most, uses.size());
  L2 cache(machine.l2Bytes);
  for (size_t n = 0; n < most; ++n)
    for (const std::vector<Use> &uses : usesOfBlocks)
      if (n < uses.size() && !cache.use(uses[n].piece, uses[n].bytes) && uses[n].isLoad)
        tensors[uses[n].tensor].missed += uses[n].bytes;
}

/// What `blocks` blocks make of global memory. A program that cannot be run is left to the timing
/// to report.
GlobalMemory survey(const count::Program &program, const Machine &machine, int64_t blocks) {
  // When all arguments fit into L2 together, what was read once stays there.
  int64_t arguments = 0;
  for (const count::TensorShape &shape : program.tensors)
    arguments += shape.workspace ? 0 : bytesOf(shape, program.values);
  std::vector<std::vector<Use>> uses(arguments > machine.l2Bytes ? blocks : 0);

  std::vector<TensorTraffic> tensors(program.tensors.size());
  std::vector<int64_t> values;
  int64_t active = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    Survey survey{tensors, uses.empty() ? nullptr : &uses[block]};
    runBlock(program, values, block, survey);
    active += survey.worked;
  }
  for (auto [shape, traffic] : llvm::zip(program.tensors, tensors)) {
    traffic.workspace = shape.workspace;
    traffic.bytes = bytesOf(shape, values);
  }
  findMisses(uses, machine, tensors);
  return GlobalMemory(machine, active, std::move(tensors));
}

/// Runs blocks again, as many as the sink wants. Timing them all costs no more with a sink than
/// without.
void showEvents(aicore::PhaseOp phase, const count::Program &program, const Machine &machine,
                CountedPhase counted, std::vector<int64_t> working, EventSink &events) {
  count::Origins origins(phase, program);
  counted.origins = origins.all();
  counted.blocks = working.size();
  events.enter(counted);
  // The slowest comes first, also where nobody worked.
  std::erase(working, counted.slowest);
  working.insert(working.begin(), counted.slowest);
  std::vector<int64_t> values;
  for (int64_t block : working) {
    if (!events.wants(block))
      continue;
    WatchedCore core(machine, block, counted.start, events, origins);
    runBlock(program, values, block, core);
  }
}

llvm::Error countPhase(aicore::PhaseOp phase, const Machine &machine, ArrayRef<int64_t> dims,
                       int64_t number, int64_t blocks, KernelTime &time, EventSink *events) {
  llvm::Expected<count::Program> transfers =
      count::compile(phase, machine, dims, count::Scope::tensors);
  if (!transfers)
    return transfers.takeError();
  llvm::Expected<count::Program> program = count::compile(phase, machine, dims, count::Scope::all);
  if (!program)
    return program.takeError();
  program->setMemory(survey(*transfers, machine, blocks));

  CountedPhase counted{number, blocks, time.start(), time.start(), 0, {}};
  std::vector<int64_t> working, values;
  for (int64_t block = 0; block < blocks; ++block) {
    TimedCore core(machine, block, time.start());
    const count::RunEnd end = runBlock(*program, values, block, core);
    const std::string where = ", in block " + std::to_string(block);
    if (!end.finished)
      return count::fault(program->origins[end.step],
                          (end.reason ? end.reason : core.fault()) + where);
    if (!core.finish())
      return count::fault(phase, core.fault() + where);
    const BlockTime blockTime = core.time();
    if (blockTime.end > counted.end) {
      counted.end = blockTime.end;
      counted.slowest = block;
    }
    if (blockTime.worked)
      working.push_back(block);
    time.add(block, blockTime);
  }
  time.endPhase();
  if (events)
    showEvents(phase, *program, machine, counted, std::move(working), *events);
  return llvm::Error::success();
}

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
  int64_t number = 0;
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
    if (llvm::Error error = countPhase(phase, machine, dims, number++, blocks, time, events))
      return std::move(error);
  return time.report();
}

} // namespace mmk
