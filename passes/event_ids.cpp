#include "passes/event_ids.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {
namespace {

StringRef numberName(Operation *op) {
  return isa<aicore::SetFlagOp, aicore::WaitFlagOp>(op) ? "event" : "flag";
}

LogicalResult reportTooFew(const EventGroup &group, ArrayRef<std::string> owners, int64_t needed,
                           aicore::MachineAttr machine) {
  aicore::AllocOp buffer = group.buffer;
  InFlightDiagnostic error = mlir::emitError(buffer.getLoc()) << "this variant needs " << needed;
  if (group.isCross())
    return error << " flags between cube and vector cores, but " << machine.getName().getValue()
                 << " has " << machine.getCrossFlags() << "; fewer copies of " << buffer.getName()
                 << " (buffers." << buffer.getGroup() << ") need fewer";
  return error << " event ids from " << aicore::stringifyPipe(group.from) << " to "
               << aicore::stringifyPipe(group.to) << ", but " << machine.getName().getValue()
               << " has " << machine.getEventIds() << " for each pair of pipes; taken by "
               << llvm::join(owners, ", ") << ": fewer copies (buffers." << buffer.getGroup()
               << ") need fewer";
}

} // namespace

bool EventGroup::competesWith(const EventGroup &other) const {
  if (isCross() || other.isCross())
    return isCross() && other.isCross();
  return std::tuple(fromUnit, from, to) == std::tuple(other.fromUnit, other.from, other.to);
}

LogicalResult numberEvents(aicore::PhaseOp phase, aicore::MachineAttr machine,
                           ArrayRef<EventGroup> groups) {
  DenseMap<int64_t, SmallVector<Operation *>> opsOf;
  phase.walk([&](Operation *op) {
    if (isa<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp>(op))
      opsOf[op->getAttrOfType<IntegerAttr>(numberName(op)).getInt()].push_back(op);
  });
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (!opsOf.contains(group.first))
      continue;
    int64_t before = 0;
    SmallVector<std::string> owners;
    auto own = [&](const EventGroup &owner) {
      aicore::AllocOp buffer = owner.buffer;
      owners.push_back((buffer.getName() + " (" + Twine(owner.count) + ")").str());
    };
    for (const EventGroup &other : groups.take_front(i))
      if (opsOf.contains(other.first) && other.competesWith(group)) {
        before += other.count;
        own(other);
      }
    own(group);
    const int64_t needed = before + group.count;
    if (needed > (group.isCross() ? machine.getCrossFlags() : machine.getEventIds()))
      return reportTooFew(group, owners, needed, machine);
    for (Operation *op : opsOf[group.first])
      op->setAttr(numberName(op), IntegerAttr::get(IntegerType::get(op->getContext(), 64), before));
  }
  return success();
}

} // namespace mmk
