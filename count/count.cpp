#include "count/count.h"

#include "count/least.h"
#include "count/origins.h"
#include "count/program.h"
#include "count/repeat.h"
#include "count/survey.h"

using namespace mlir;

namespace mmk {
namespace {

/// A clock whose events have origins.
struct WatchedCore : count::TimedCore {
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

/// Runs again the blocks that the sink accepts, with every iteration.
void showEvents(aicore::PhaseOp phase, const count::CountProgram &program, const Machine &machine,
                CountedPhase counted, std::vector<int64_t> working, EventSink &events) {
  count::Origins origins(phase, program);
  counted.origins = origins.all();
  counted.blocks = working.size();
  events.enter(counted);
  // The slowest comes first, even if no block worked.
  std::erase(working, counted.slowest);
  working.insert(working.begin(), counted.slowest);
  std::vector<int64_t> values;
  for (int64_t block : working) {
    if (!events.accepts(block))
      continue;
    WatchedCore core(machine, block, counted.start, events, origins);
    count::run(program, values, block, core);
  }
}

/// Phases run one after the other.
void add(const LeastTime &phase, LeastTime &all) {
  all.cycles += phase.cycles;
  all.multiplied += phase.multiplied;
  all.drain += phase.drain;
  all.rest += phase.rest;
  for (size_t pipe = 0; pipe < allPipes.size(); ++pipe) {
    all.cubeWork[pipe] += phase.cubeWork[pipe];
    all.vectorWork[pipe] += phase.vectorWork[pipe];
  }
}

/// A core of a program without instructions.
struct IdleCore {
  bool execute(unsigned, Pipe, const count::Instruction &, Cost, count::Amount) { return true; }
  bool setFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool waitFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool setCross(unsigned, Pipe, int64_t) { return true; }
  bool waitCross(unsigned, Pipe, int64_t) { return true; }
  bool barrier(unsigned, std::optional<Pipe>) { return true; }
};

/// Adds what the conditions of a phase cover, in all blocks.
llvm::Error addConditions(aicore::PhaseOp phase, const Machine &machine, const Call &call,
                          int64_t blocks, CoveredElements &covered) {
  if (!phase.walk([](aicore::TallyOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return llvm::Error::success();
  llvm::Expected<count::CountProgram> program =
      count::compile(phase, machine, call, count::Scope::conditions);
  if (!program)
    return program.takeError();
  covered.isAssumed |= program->assumesScalars;
  for (const count::Instruction &it : program->instructions)
    covered.isAssumed |= it.work == Work::scalar && !it.elements;
  std::vector<int64_t> values;
  for (int64_t block = 0; block < blocks; ++block) {
    IdleCore core;
    count::run(*program, values, block, core);
    int64_t *const sums[] = {&covered.all, &covered.skipped, &covered.full};
    for (auto [place, sum] : llvm::zip(program->tallies, sums))
      if (place >= 0)
        *sum += values[place];
  }
  return llvm::Error::success();
}

llvm::Error countPhase(aicore::PhaseOp phase, const Machine &machine, const Call &call,
                       int64_t number, int64_t blocks, KernelTime &time, LeastTime &least,
                       EventSink *events) {
  llvm::Expected<count::CountProgram> transfers =
      count::compile(phase, machine, call, count::Scope::tensors);
  if (!transfers)
    return transfers.takeError();
  llvm::Expected<count::CountProgram> program =
      count::compile(phase, machine, call, count::Scope::all);
  if (!program)
    return program.takeError();
  const GlobalMemory memory = count::survey(*transfers, machine, blocks);
  program->setMemory(memory);

  CountedPhase counted{number, blocks, time.start(), time.start(), 0, {}};
  count::KnownIterations known(*program);
  std::vector<int64_t> working, values;
  for (int64_t block = 0; block < blocks; ++block) {
    count::RepeatingCore core(known, machine, block, time.start());
    const count::RunEnd end = count::run(*program, values, block, core);
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
  time.endPhase(counted.start + memory.hbmCycles());
  counted.end = time.start();
  count::LeastCore fastest(machine);
  count::run(*program, values, /*block=*/0, fastest);
  add(fastest.time(), least);
  if (events)
    showEvents(phase, *program, machine, counted, std::move(working), *events);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ClockReport> countCall(aicore::KernelOp kernel, const Machine &machine,
                                      const Call &call, EventSink *events) {
  const ArrayRef<int64_t> dims = call.dims;
  if (dims.size() != kernel.getDims().size())
    return count::fault(kernel, "has " + Twine(kernel.getDims().size()) + " dimensions, but " +
                                    Twine(dims.size()) + " values were given");
  if (const std::string problem = kernel.limitProblem(dims); !problem.empty())
    return llvm::createStringError(problem);
  if (llvm::is_contained(dims, 0))
    return ClockReport{}; // no kernel is launched
  const int64_t blocks = kernel.getCores();
  if (blocks > machine.cubeCores)
    return count::fault(kernel, "is mapped to " + Twine(blocks) + " cores, but " + machine.name +
                                    " has " + Twine(machine.cubeCores));
  KernelTime time(machine, blocks);
  LeastTime least;
  int64_t number = 0;
  CoveredElements covered;
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
    if (llvm::Error error = countPhase(phase, machine, call, number++, blocks, time, least, events))
      return std::move(error);
    if (llvm::Error error = addConditions(phase, machine, call, blocks, covered))
      return std::move(error);
  }
  ClockReport report = time.report();
  report.covered = covered;
  least.cycles += report.taskCycles;
  least.rest += report.taskCycles;
  report.least = least;
  return report;
}

} // namespace mmk
