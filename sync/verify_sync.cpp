#include "ir/diagnostic_code.h"
#include "sync/needless_sync.h"
#include "sync/passes.h"
#include "sync/verify_sync_explorer.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_VERIFYSYNC
#include "sync/Passes.h.inc"

namespace {

using sync::Event;
using sync::Fault;
using sync::PhaseModel;

std::string nounOf(Operation *op) {
  return isa<aicore::VectorOp>(op) ? "vector instruction" : op->getName().stripDialect().str();
}

std::string slotOf(const PhaseModel &program, const Event &event) {
  const sync::Buffer &buffer = program.buffers[event.of];
  return (buffer.alloc ? "slot " + std::to_string(event.slot) + " of " : "") + buffer.name();
}

/// "nothing makes mte2 wait for mte1 here"
std::string missingOrder(const PhaseModel &program, unsigned late, unsigned early) {
  const sync::PipeOf &waiter = program.pipes[late], &other = program.pipes[early];
  const bool apart = waiter.unit != other.unit;
  return "nothing makes " + program.describe(waiter, apart) + " wait for " +
         program.describe(other, apart) + " here";
}

void reportRace(const PhaseModel &program, const Fault &fault) {
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

void report(const PhaseModel &program, const Fault &fault) {
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
    auto deadlock =
        error("deadlock: " + pipe() + " waits for " + flag() +
              (fault.other ? ", which nothing sets again" : ", which nothing before sets"));
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
    withCode(error(beyondProof), DiagnosticCode::beyondProof);
    return;
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
      std::optional<PhaseModel> program = PhaseModel::read(phase);
      if (!program) {
        isRight = false;
      } else if (std::optional<Fault> fault = sync::findFault(*program)) {
        report(*program, *fault);
        isRight = false;
      } else if (redundant) {
        for (const sync::NeedlessSync &needless : sync::needlessSync(phase))
          for (Operation *op : needless.at)
            mlir::emitRemark(op->getLoc()) << needless.text();
      }
    });
    if (!isRight)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace mmk
