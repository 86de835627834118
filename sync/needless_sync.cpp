#include "sync/needless_sync.h"

#include "sync/redundant_flags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace mmk::sync {
namespace {

using Order = NeedlessSync::Order;

bool isWait(Operation *op) { return isa<aicore::WaitFlagOp, aicore::WaitCrossOp>(op); }

/// A flag for each order, set and waited for before the next one is set: so a pipe that sets one
/// again in the next iteration knows from the flag in the other direction that it was consumed.
std::vector<FlagGroup> emitFlags(OpBuilder &b, Location loc,
                                 ArrayRef<std::pair<Order, int64_t>> orders) {
  std::vector<FlagGroup> groups;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [order, event] : orders)
    groups.push_back({aicore::SetFlagOp::create(b, loc, order.first, order.second, event, zero),
                      aicore::WaitFlagOp::create(b, loc, order.first, order.second, event, zero)});
  return groups;
}

/// The first event that the phase does not use for this pair of pipes.
int64_t firstFree(aicore::PhaseOp phase, Order order) {
  int64_t next = 0;
  phase.walk([&](Operation *op) {
    auto take = [&](auto flag) {
      if (flag.getFrom() != order.first || flag.getTo() != order.second)
        return;
      auto slot = flag.getSlot().template getDefiningOp<aicore::SlotOp>();
      auto alloc =
          slot ? slot.getBuffer().template getDefiningOp<aicore::AllocOp>() : aicore::AllocOp();
      APInt constant;
      int64_t last = alloc ? static_cast<int64_t>(alloc.getCopies()) - 1 : 0;
      if (!alloc && matchPattern(flag.getSlot(), m_ConstantInt(&constant)))
        last = constant.getSExtValue();
      next = std::max<int64_t>(next, flag.getEvent() + last + 1);
    };
    if (auto set = dyn_cast<aicore::SetFlagOp>(op))
      take(set);
    else if (auto wait = dyn_cast<aicore::WaitFlagOp>(op))
      take(wait);
  });
  return next;
}

/// Pipes that execute anything in the region of the barrier.
std::set<aicore::Pipe> pipesBeside(aicore::BarrierOp barrier, aicore::PhaseOp phase) {
  const bool split = aicore::machineOf(phase).getTopology() == aicore::Topology::split;
  std::set<aicore::Pipe> pipes;
  phase.walk([&](aicore::Instruction op) {
    const bool isOfUnit = !split || aicore::unitOf(op) == aicore::unitOf(barrier);
    if (isOfUnit && op.getPipe() != aicore::Pipe::scalar) // which no barrier holds
      pipes.insert(op.getPipe());
  });
  return pipes;
}

/// Whether an access on the one pipe can be a hazard to one on the other.
bool meetInAHazard(const PhaseModel &program, aicore::Unit unit, Order order) {
  auto is = [&](unsigned event, aicore::Pipe pipe) {
    const PipeOf of = program.pipes[program.events[event].pipe];
    return of.unit == unit && of.pipe == pipe;
  };
  for (unsigned late = 0; late < program.events.size(); ++late)
    for (unsigned early = 0; early < program.events.size(); ++early)
      if (program.hazards[late][early / 64] >> (early % 64) & 1 && is(late, order.second) &&
          is(early, order.first))
        return true;
  return false;
}

// The barrier is replaced by a flag from each pipe to each other, of which all redundant ones are
// removed: first those between pipes that share no bytes, which only order transitively.
std::vector<Order> neededOrders(aicore::BarrierOp barrier, aicore::PhaseOp phase) {
  IRMapping copy;
  OwningOpRef<Operation *> kernel = phase->getParentOp()->clone(copy);
  auto ownBarrier = cast<aicore::BarrierOp>(copy.lookup(barrier.getOperation()));
  auto ownPhase = cast<aicore::PhaseOp>(copy.lookup(phase.getOperation()));
  // In a module with the machine attribute.
  OpBuilder b(phase->getParentOp());
  b.insert(kernel.get());
  std::vector<std::pair<Order, int64_t>> orders;
  const std::set<aicore::Pipe> pipes = pipesBeside(barrier, phase);
  for (aicore::Pipe from : pipes)
    for (aicore::Pipe to : pipes)
      if (from != to)
        orders.push_back({{from, to}, firstFree(phase, {from, to})});
  b.setInsertionPoint(ownBarrier);
  const std::vector<FlagGroup> groups = emitFlags(b, barrier.getLoc(), orders);
  ownBarrier.erase();
  std::vector<Order> needed;
  if (std::optional<PhaseModel> program = PhaseModel::read(ownPhase, /*anyNumber=*/true)) {
    const aicore::Unit unit = aicore::machineOf(phase).getTopology() == aicore::Topology::split
                                  ? aicore::unitOf(barrier)
                                  : aicore::Unit::cube_core;
    std::vector<FlagGroup> candidates;
    for (const bool direct : {false, true})
      for (auto [group, flag] : llvm::zip(groups, orders))
        if (meetInAHazard(*program, unit, flag.first) == direct)
          candidates.push_back(group);
    const std::vector<FlagGroup> redundant = provenRedundant(*program, candidates);
    for (auto [group, flag] : llvm::zip(groups, orders))
      if (!llvm::is_contained(redundant, group))
        needed.push_back(flag.first);
  }
  return needed;
}

} // namespace

std::string NeedlessSync::text() const {
  if (at.size() != 1 || !isa<aicore::BarrierOp>(at[0]))
    return "redundant: without this wait and its set, every hazard is still in order";
  if (instead.empty())
    return "redundant: without this barrier, every hazard is still in order";
  SmallVector<std::string> orders;
  for (auto [from, to] : instead)
    orders.push_back((aicore::stringifyPipe(from) + " -> " + aicore::stringifyPipe(to)).str());
  return "coarse: all pipes wait for all others here, but the hazards need no more than the "
         "flags " +
         llvm::join(orders, ", ");
}

bool NeedlessSync::apply(IRMapping &copy, aicore::MachineAttr machine) const {
  if (!instead.empty()) {
    auto barrier = cast<aicore::BarrierOp>(copy.lookup(at[0]));
    auto phase = barrier->getParentOfType<aicore::PhaseOp>();
    std::vector<std::pair<Order, int64_t>> orders;
    for (Order order : instead) {
      orders.push_back({order, firstFree(phase, order)});
      if (orders.back().second >= static_cast<int64_t>(machine.getEventIds()))
        return false;
    }
    OpBuilder b(barrier);
    emitFlags(b, barrier.getLoc(), orders);
  }
  for (Operation *op : without)
    copy.lookup(op)->erase();
  return true;
}

std::vector<NeedlessSync> needlessSync(aicore::PhaseOp phase) {
  std::vector<NeedlessSync> found;
  std::optional<PhaseModel> program = PhaseModel::read(phase);
  if (!program)
    return found;
  llvm::DenseSet<Operation *> gone;
  for (const FlagGroup &group : redundantFlags(*program)) {
    NeedlessSync one{{}, group, {}};
    llvm::copy_if(group, std::back_inserter(one.at),
                  [](Operation *op) { return isWait(op) || isa<aicore::BarrierOp>(op); });
    gone.insert(group.begin(), group.end());
    found.push_back(std::move(one));
  }
  phase.walk([&](aicore::BarrierOp barrier) {
    if (barrier.getPipe() || gone.contains(barrier))
      return;
    std::vector<Order> needed = neededOrders(barrier, phase);
    const size_t pipes = pipesBeside(barrier, phase).size();
    if (!needed.empty() && needed.size() < pipes * (pipes - 1))
      found.push_back({{barrier}, {barrier}, std::move(needed)});
  });
  return found;
}

} // namespace mmk::sync
