#include "passes/event_ids.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {
namespace {

StringRef numberName(Operation *op) {
  return isa<aicore::SetFlagOp, aicore::WaitFlagOp>(op) ? "event" : "flag";
}

/// The setting that says how many copies a buffer has: its own, or that of its memory.
std::string settingOf(aicore::AllocOp buffer) {
  const std::string own = (buffer.getGroup() + "." + buffer.getName()).str();
  auto kernel = buffer->getParentOfType<aicore::KernelOp>();
  return "buffers." + (kernel.getBuffers().contains(own) ? own : buffer.getGroup().str());
}

/// How many copies leave numbers for all, when those groups that have the same setting as this one
/// have fewer; 0: none do.
int64_t mostCopies(const EventGroup &group, ArrayRef<EventGroup> competing, int64_t limit) {
  aicore::AllocOp buffer = group.buffer;
  const std::string setting = settingOf(buffer);
  int64_t others = 0, ofCopies = 0;
  for (const EventGroup &other : competing) {
    aicore::AllocOp otherBuffer = other.buffer;
    const auto copies = static_cast<int64_t>(otherBuffer.getCopies());
    if (settingOf(otherBuffer) == setting && other.count % copies == 0)
      ofCopies += other.count / copies;
    else
      others += other.count;
  }
  return ofCopies == 0 ? 0 : std::max<int64_t>(0, (limit - others) / ofCopies);
}

/// An error at the buffer whose group is the first without numbers, among all that compete for
/// them.
LogicalResult reportTooFew(const EventGroup &group, ArrayRef<EventGroup> competing,
                           aicore::MachineAttr machine) {
  aicore::AllocOp buffer = group.buffer;
  const int64_t limit = group.isCross() ? machine.getCrossFlags() : machine.getEventIds();
  int64_t needed = 0;
  SmallVector<std::string> owners;
  for (const EventGroup &owner : competing) {
    aicore::AllocOp owned = owner.buffer;
    needed += owner.count;
    owners.push_back((owned.getName() + " (" + Twine(owner.count) + ")").str());
  }
  const std::string setting = settingOf(buffer);
  InFlightDiagnostic error = mlir::emitError(buffer.getLoc()) << "this variant needs " << needed;
  if (group.isCross())
    error << " flags between cube and vector cores, but " << machine.getName().getValue() << " has "
          << limit << "; fewer copies of " << buffer.getName() << " (" << setting << ") need fewer";
  else
    error << " event ids from " << aicore::stringifyPipe(group.from) << " to "
          << aicore::stringifyPipe(group.to) << ", but " << machine.getName().getValue() << " has "
          << limit << " for each pair of pipes; taken by " << llvm::join(owners, ", ")
          << ": fewer copies (" << setting << ") need fewer";
  if (const int64_t copies = mostCopies(group, competing, limit))
    error << "; nearest legal: " << setting << " = " << copies;
  return error;
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
    SmallVector<EventGroup> competing;
    for (auto [j, other] : llvm::enumerate(groups))
      if (opsOf.contains(other.first) && other.competesWith(group)) {
        before += j < i ? other.count : 0;
        competing.push_back(other);
      }
    if (before + group.count > (group.isCross() ? machine.getCrossFlags() : machine.getEventIds()))
      return reportTooFew(group, competing, machine);
    for (Operation *op : opsOf[group.first])
      op->setAttr(numberName(op), IntegerAttr::get(IntegerType::get(op->getContext(), 64), before));
  }
  return success();
}

} // namespace mmk
