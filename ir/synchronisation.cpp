// Flags, barriers, and the marks from which flags are made.
#include "ir/instructions.h"

using namespace mlir;

namespace mmk::aicore {

// Effects on everything: no upstream pass may move or merge them.
static void
syncEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

template <typename Op> static LogicalResult verifyProducerMarker(Op op) {
  if (failed(expectOnCubeCore(op, Pipe::cube)) ||
      failed(expectBuffer(op, "the accumulator", op.getBuffer(), {Space::l0c})))
    return failure();
  return expectPart(op, op.getBuffer(), op.getPartAttr().getInt());
}
LogicalResult ProducerAcquireOp::verify() { return verifyProducerMarker(*this); }
LogicalResult ProducerCommitOp::verify() { return verifyProducerMarker(*this); }

LogicalResult ReleaseOp::verify() {
  return expectBuffer(*this, "the buffer", getBuffer(), {Space::l1, Space::bt});
}

template <typename Op> static LogicalResult verifyFlag(Op op) {
  if (op.getFrom() == op.getTo())
    return op.emitOpError("orders the pipe ")
           << stringifyPipe(op.getFrom()) << " after itself; a pipe is in order already";
  if (op.getEventAttr().getInt() < 0)
    return op.emitOpError("expected an event id of at least 0, found ")
           << op.getEventAttr().getInt();
  return success();
}
LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

template <typename Op> static LogicalResult verifyCross(Op op) {
  if (op.getFlagAttr().getInt() < 0)
    return op.emitOpError("expected a flag of at least 0, found ") << op.getFlagAttr().getInt();
  if (op.getUnit() == unitOf(op))
    return op.emitOpError("expected the other core of the block, found ")
           << stringifyUnit(op.getUnit()) << ", on which it stands";
  return success();
}
LogicalResult SetCrossOp::verify() { return verifyCross(*this); }
LogicalResult WaitCrossOp::verify() { return verifyCross(*this); }

#define MMK_SYNC_EFFECTS(OP)                                                                       \
  void OP::getEffects(                                                                             \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    syncEffects(effects);                                                                          \
  }
MMK_SYNC_EFFECTS(SetFlagOp)
MMK_SYNC_EFFECTS(WaitFlagOp)
MMK_SYNC_EFFECTS(SetCrossOp)
MMK_SYNC_EFFECTS(WaitCrossOp)
MMK_SYNC_EFFECTS(BarrierOp)
MMK_SYNC_EFFECTS(ProducerAcquireOp)
MMK_SYNC_EFFECTS(ProducerCommitOp)
MMK_SYNC_EFFECTS(ReleaseOp)

} // namespace mmk::aicore
