#include "passes/passes.h"
#include "passes/verify_sync_walk.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_VERIFYSYNC
#include "passes/Passes.h.inc"

namespace {

using sync::Event;
using sync::Fault;
using sync::Program;

//===--- messages -------------------------------------------------------------------------===//

std::string nounOf(Operation *op) {
  return isa<aicore::VectorOp>(op) ? "vector instruction" : op->getName().stripDialect().str();
}

std::string slotOf(const Program &program, const Event &event) {
  const sync::Buffer &buffer = program.buffers[event.of];
  return (buffer.alloc ? "slot " + std::to_string(event.slot) + " of " : "") + buffer.name();
}

/// "nothing makes mte2 wait for mte1 here"
std::string missingOrder(const Program &program, unsigned late, unsigned early) {
  const sync::PipeOf &waiter = program.pipes[late], &other = program.pipes[early];
  const bool apart = waiter.unit != other.unit;
  return "nothing makes " + program.describe(waiter, apart) + " wait for " +
         program.describe(other, apart) + " here";
}

void reportRace(const Program &program, const Fault &fault) {
  const Event &late = program.events[fault.event], &early = program.events[fault.otherEvent];
  const bool fills = late.what == Event::What::writes, reads = early.what == Event::What::reads;
  const std::string slot = slotOf(program, late), otherSlot = slotOf(program, early);
  std::string what = reads ? "still reads it" : fills ? "also fills it" : "fills it";
  if (late.of != early.of)
    what = (reads ? "still reads " : "fills ") + otherSlot + ", in the same bytes,";
  InFlightDiagnostic error = mlir::emitError(fault.op->getLoc())
                             << "the " << nounOf(fault.op) << (fills ? " into " : " from ") << slot
                             << " may start before the " << nounOf(fault.other) << " that " << what
                             << " has ended: " << missingOrder(program, late.pipe, early.pipe);
  error.attachNote(fault.other->getLoc()) << "this " << nounOf(fault.other) << " on "
                                          << program.describe(program.pipes[early.pipe], true)
                                          << (reads ? " reads " : " fills ") << otherSlot;
}

void report(const Program &program, const Fault &fault) {
  auto error = [&](const Twine &message) { return mlir::emitError(fault.op->getLoc()) << message; };
  auto flag = [&] { return program.describe(program.flags[fault.flag]); };
  auto pipe = [&] {
    return program.describe(program.pipes[fault.pipe], program.flags[fault.flag].isCross);
  };
  auto waiter = [&] {
    const sync::Flag &it = program.flags[fault.flag];
    return program.describe(program.pipes[it.to], false);
  };
  switch (fault.what) {
  case Fault::What::race:
    return reportRace(program, fault);
  case Fault::What::endlessWait: {
    auto deadlock = error("deadlock: " + pipe() + " waits for " + flag() +
                          (fault.other ? ", which nothing sets again" : ", which nothing sets"));
    if (fault.other)
      deadlock.attachNote(fault.other->getLoc())
          << "it was set here, and has been taken down since";
    return;
  }
  case Fault::What::leftSet:
    error(flag() + " is still set when the phase ends: nothing waits for it")
            .attachNote(program.phase->getLoc())
        << "the next phase would find it set";
    return;
  case Fault::What::setTwice:
    error(flag() + " is set again before it was waited for: one of the two is lost")
            .attachNote(fault.other->getLoc())
        << "it was set here";
    return;
  case Fault::What::setEarly:
    error(flag() + " may be set again before " + waiter() + " has waited for it: nothing makes " +
          pipe() + " wait for " + waiter() + " here")
            .attachNote(fault.other->getLoc())
        << "this wait may come too late";
    return;
  case Fault::What::overflow:
    error(flag() + " may be counted beyond 15: nothing makes " + pipe() +
          " wait until the other core has waited for it");
    return;
  case Fault::What::unordered:
    error(flag() + " is taken here and by another pipe, in no order: who gets which is chance")
            .attachNote(fault.other->getLoc())
        << "the other pipe takes it here";
    return;
  case Fault::What::noFlag: {
    const bool isCross = isa<aicore::SetCrossOp, aicore::WaitCrossOp>(fault.op);
    aicore::MachineAttr machine = program.machine;
    error("there is no " + Twine(isCross ? "cross-core flag " : "event ") + Twine(fault.number) +
          ": " + machine.getName().getValue() + " has " +
          (isCross ? "the flags 0 to " + Twine(machine.getCrossFlags() - 1)
                   : "the events 0 to " + Twine(machine.getEventIds() - 1) +
                         " for each pair of pipes"));
    return;
  }
  case Fault::What::badSlot:
    error("takes a slot that its buffer has not, or that nothing is known of");
    return;
  case Fault::What::tooMany:
    error("the synchronisation of this phase has too many states to be followed; fewer copies "
          "(buffers) have fewer");
    return;
  }
}

//===--- what is not needed ---------------------------------------------------------------===//

using FlagOps = llvm::DenseSet<Operation *>;

/// Sets of flag operations that may be left out together: a set with the wait behind it in its
/// block, and all of one flag.
std::vector<std::vector<Operation *>> candidates(const Program &program) {
  std::vector<std::vector<Operation *>> found;
  llvm::MapVector<unsigned, std::vector<Operation *>> byFlag;
  std::vector<unsigned> host(program.flags.size());
  std::iota(host.begin(), host.end(), 0);
  auto hostOf = [&](unsigned flag) {
    while (host[flag] != flag)
      flag = host[flag];
    return flag;
  };
  auto visit = [&](auto &&self, const sync::Sequence &statements, bool grouping) -> void {
    const sync::Statement *open = nullptr;
    for (const sync::Statement &s : statements) {
      for (const sync::Sequence &child : s.children)
        self(self, child, grouping);
      // What is read here went through the proof, but may stand where no path leads.
      if (s.flags.empty() || llvm::is_contained(s.flags, sync::noFlag))
        continue;
      if (grouping) {
        for (unsigned flag : s.flags)
          host[hostOf(flag)] = hostOf(s.flags[0]);
        continue;
      }
      byFlag[hostOf(s.flags[0])].push_back(s.op);
      const bool sets = s.kind == sync::Kind::setFlag || s.kind == sync::Kind::setCross;
      if (sets)
        open = &s;
      else if (open && open->flags == s.flags && open->a == s.a)
        found.push_back({open->op, s.op});
    }
  };
  visit(visit, program.body, /*grouping=*/true);
  visit(visit, program.body, /*grouping=*/false);
  for (auto &[flag, ops] : byFlag)
    found.push_back(ops);
  return found;
}

// One after the other, each on top of those already found: all remarked can go at once.
void remarkRedundant(const Program &program) {
  FlagOps without;
  for (const std::vector<Operation *> &ops : candidates(program)) {
    FlagOps fewer = without;
    for (Operation *op : ops)
      fewer.insert(op);
    if (fewer.size() == without.size() || sync::findFault(program, fewer))
      continue;
    for (Operation *op : ops)
      if (!without.contains(op) && isa<aicore::WaitFlagOp, aicore::WaitCrossOp>(op))
        mlir::emitRemark(op->getLoc())
            << "redundant: without this wait and its set, every hazard is still in order";
    without = std::move(fewer);
  }
}

struct VerifySyncPass : impl::VerifySyncBase<VerifySyncPass> {
  using VerifySyncBase::VerifySyncBase;

  void runOnOperation() override {
    if (!aicore::machineOf(getOperation())) {
      getOperation().emitError("expected a machine; run mmk-apply-variant first");
      return signalPassFailure();
    }
    bool isRight = true;
    getOperation().walk([&](aicore::PhaseOp phase) {
      std::optional<Program> program = Program::read(phase);
      if (!program) {
        isRight = false;
      } else if (std::optional<Fault> fault = sync::findFault(*program)) {
        report(*program, *fault);
        isRight = false;
      } else if (redundant) {
        remarkRedundant(*program);
      }
    });
    if (!isRight)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace mmk
