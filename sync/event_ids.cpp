#include "sync/event_ids.h"

#include "ir/diagnostic_code.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <string>

using namespace mlir;

namespace mmk {
namespace {

StringRef numberName(Operation *op) {
  return isa<aicore::SetFlagOp, aicore::WaitFlagOp>(op) ? "event" : "flag";
}

/// The directive that sets the copies of a buffer: its own, or that of its memory.
std::string settingOf(aicore::AllocOp buffer) {
  const std::string own = (buffer.getGroup() + "." + buffer.getName()).str();
  auto kernel = buffer->getParentOfType<aicore::KernelOp>();
  return "buffers." + (kernel.getBuffers().contains(own) ? own : buffer.getGroup().str());
}

/// Groups that need different numbers, more than the machine has.
struct Shortage {
  EventGroup first; ///< without numbers
  SmallVector<EventGroup> competing;
  int64_t limit;

  /// The copies at which the numbers suffice, if all groups with the directive of the first have as
  /// many; 0: they never do.
  int64_t mostCopies() const {
    const std::string setting = settingOf(first.buffer);
    int64_t others = 0, ofCopies = 0;
    for (const EventGroup &group : competing) {
      aicore::AllocOp buffer = group.buffer;
      const auto copies = static_cast<int64_t>(buffer.getCopies());
      if (settingOf(buffer) == setting && group.count % copies == 0)
        ofCopies += group.count / copies;
      else
        others += group.count;
    }
    return ofCopies == 0 ? 0 : std::max<int64_t>(0, (limit - others) / ofCopies);
  }
};

/// The directives with which the numbers suffice; empty when fewer copies do not help.
std::string nearestLegal(ArrayRef<Shortage> shortages) {
  std::map<std::string, int64_t> copies;
  for (const Shortage &each : shortages) {
    const int64_t most = each.mostCopies();
    if (most == 0)
      return "";
    const auto [known, isNew] = copies.try_emplace(settingOf(each.first.buffer), most);
    known->second = std::min(known->second, most);
  }
  SmallVector<std::string> settings;
  for (const auto &[setting, most] : copies)
    settings.push_back(setting + " = " + std::to_string(most));
  return llvm::join(settings, ", ");
}

LogicalResult reportTooFew(ArrayRef<Shortage> shortages, aicore::MachineAttr machine) {
  const auto &[group, competing, limit] = shortages.front();
  aicore::AllocOp buffer = group.buffer;
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
  if (const std::string nearest = nearestLegal(shortages); !nearest.empty())
    return mmk::nearestLegal(std::move(error << "; nearest legal: " << nearest));
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
  SmallVector<Shortage> shortages;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (!opsOf.contains(group.first))
      continue;
    int64_t before = 0;
    Shortage shortage{group, {}, group.isCross() ? machine.getCrossFlags() : machine.getEventIds()};
    for (auto [j, other] : llvm::enumerate(groups))
      if (opsOf.contains(other.first) && other.competesWith(group)) {
        before += j < i ? other.count : 0;
        shortage.competing.push_back(other);
      }
    if (before + group.count > shortage.limit)
      shortages.push_back(std::move(shortage));
    for (Operation *op : opsOf[group.first])
      op->setAttr(numberName(op), IntegerAttr::get(IntegerType::get(op->getContext(), 64), before));
  }
  return shortages.empty() ? success() : reportTooFew(shortages, machine);
}

} // namespace mmk
