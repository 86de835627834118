// Loops of a vector unit with registers are one function where no flag stands between them. A flag
// of a buffer with several copies does not need to: the function waits for it before its first
// loop, or sets it behind its last, while other pipes fill and empty the other copies. Of a single
// copy the other pipe would stand still meanwhile.
#include "sync/passes.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_JOINFUNCTIONS
#include "sync/Passes.h.inc"

namespace {

using aicore::Pipe;

bool isLoop(Operation *op) { return isa<aicore::VectorOp, aicore::ReduceOp>(op); }

/// Whether a flag is one of the slots of a buffer with several copies.
template <typename Flag> bool hasCopies(Flag flag) {
  auto slot = flag.getSlot().template getDefiningOp<aicore::SlotOp>();
  return slot && slot.getBuffer().template getDefiningOp<aicore::AllocOp>().getCopies() > 1;
}

/// Moves an operation in front of another one of its block, with what computes its operands.
void moveInFront(Operation *op, Operation *place) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && source->getBlock() == place->getBlock() && place->isBeforeInBlock(source))
      moveInFront(source, place);
  }
  op->moveBefore(place);
}

/// The loops that follow each other in a block, and the flags between them.
class Run {
public:
  void add(Operation *op) {
    auto wait = dyn_cast<aicore::WaitFlagOp>(op);
    auto set = dyn_cast<aicore::SetFlagOp>(op);
    if (isLoop(op))
      addLoop(op);
    else if (first && ((wait && wait.getTo() == Pipe::vector && hasCopies(wait)) ||
                       (set && set.getFrom() == Pipe::vector && hasCopies(set))))
      behind.push_back(op);
    else if (!isMemoryEffectFree(op))
      end();
  }
  void end() {
    for (Operation *set : llvm::reverse(sets))
      set->moveAfter(last);
    first = last = nullptr;
    sets.clear();
    behind.clear();
  }

private:
  void addLoop(Operation *loop) {
    for (Operation *flag : behind)
      if (isa<aicore::WaitFlagOp>(flag))
        moveInFront(flag, first);
      else
        sets.push_back(flag);
    behind.clear();
    first = first ? first : loop;
    last = loop;
  }

  Operation *first = nullptr, *last = nullptr;
  SmallVector<Operation *> sets;   ///< between the loops so far
  SmallVector<Operation *> behind; ///< flags behind the last loop
};

struct JoinFunctionsPass : impl::JoinFunctionsBase<JoinFunctionsPass> {
  void runOnOperation() override {
    getOperation().walk([](aicore::PhaseOp phase) {
      if (aicore::machineOf(phase).getRegisters() == 0)
        return;
      phase.walk([](Block *block) {
        Run run;
        for (Operation &op : llvm::make_early_inc_range(*block))
          run.add(&op);
        run.end();
      });
    });
  }
};

} // namespace
} // namespace mmk
