#include "passes/variant.h"
#include "place/live_range.h"
#include "sync/event_ids.h"
#include "sync/passes.h"
#include "sync/redundant_flags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_INSERTSYNC
#include "sync/Passes.h.inc"

namespace {

using aicore::Pipe;
using aicore::Unit;

/// The extent of one generation of a slot, or of one use of it: a block, from the first op there
/// that contains such an access to the last.
struct Site {
  aicore::SlotOp slot;
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

/// The life of a generation is the block of its aicore.slot, which may be outside of a loop that
/// carries the buffer. But the use of a block's buffer by vector cores belongs to each of them, and
/// ends with their part of the program, unless a loop over such parts follows the slot.
Block *lifeOf(aicore::SlotOp slot, Operation *user) {
  auto part = user->getParentOfType<aicore::VectorCoresOp>();
  const bool crossed =
      part && !part->isProperAncestor(slot) && part->getBlock() == slot->getBlock();
  const bool isOwn = aicore::spaceOf(slot.getBuffer()) == aicore::Space::ub;
  return crossed && !isOwn ? &part.getBody().front() : slot->getBlock();
}

bool sameGeneration(Site x, Site y) {
  return x.block == y.block && x.slot.getIndex() == y.slot.getIndex();
}

/// One side of a buffer: a pipe that fills it, or one that uses it.
struct Side {
  Pipe pipe = Pipe::scalar;
  Unit unit = Unit::cube_core;
  bool reads = false, writes = false;
  llvm::MapVector<std::pair<Operation *, Block *>, Site> sites; ///< by slot op and block
  /// A generation begins and ends at these where there are any, and not with its sites.
  SmallVector<aicore::ProducerAcquireOp> opens;
  SmallVector<aicore::ProducerCommitOp> closes;
  /// Uses end at these, where there are any.
  SmallVector<aicore::ReleaseOp> releases;

  void add(aicore::SlotOp slot, Operation *user) {
    Block *block = lifeOf(slot, user);
    Site &site = sites[{slot, block}];
    site.slot = slot;
    site.block = block;
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    if (!site.first || inBlock->isBeforeInBlock(site.first))
      site.first = inBlock;
    if (!site.last || site.last->isBeforeInBlock(inBlock))
      site.last = inBlock;
  }
};

/// Whether the accesses of `x` to each generation come before those of `y`; nothing where they
/// alternate, or where the order is unknown.
std::optional<bool> comesFirst(const Side &x, const Side &y) {
  bool before = false, after = false;
  for (auto &[op, own] : x.sites)
    for (auto &[otherOp, other] : y.sites) {
      if (!sameGeneration(own, other))
        continue;
      const bool isBefore = own.last->isBeforeInBlock(other.first),
                 isAfter = other.last->isBeforeInBlock(own.first);
      before |= !isAfter;
      after |= !isBefore;
    }
  // Pipelined transfers are in other blocks: an access that does not read the generation starts it.
  if (!before && !after && x.reads != y.reads)
    return !x.reads;
  if (before == after)
    return std::nullopt;
  return before;
}

/// A buffer, or a part of one, that one pipe fills and another uses. The two orders that it needs:
/// filled before use, and used before the next generation of the same slot.
struct Channel {
  aicore::AllocOp buffer;
  Side fill, use;
  int64_t copies = 1;
  SmallVector<aicore::AllocOp> sharers; ///< buffers that are filled and used together with this one
};

class PhaseSync {
public:
  PhaseSync(aicore::PhaseOp phase, aicore::MachineAttr machine, bool keepImplied)
      : phase(phase), machine(machine), keepImplied(keepImplied), b(phase.getContext()) {}

  LogicalResult run();

private:
  LogicalResult collect();
  LogicalResult collect(aicore::AllocOp alloc, int64_t part);
  using Sides = SmallVector<std::pair<std::pair<Unit, Pipe>, Side>>;
  LogicalResult collectProducers(aicore::AllocOp alloc, Sides sides);
  void shareFlags();
  LogicalResult dropImplied();
  void insert(Channel &channel);
  /// Moves the builder to where a use begins.
  void toUse(const Side &use, const Site &site);
  /// Emits at a place that all cores of the unit run once: before all work of the phase, after it,
  /// or at the builder's place in the phase's own block.
  void atBegin(Unit unit, llvm::function_ref<void()> emit);
  void atEnd(Unit unit, llvm::function_ref<void()> emit);
  void emitOnce(Unit unit, llvm::function_ref<void()> emit) {
    aicore::VectorCoresOp part;
    onCores(unit, part, emit);
  }
  void onCores(Unit unit, aicore::VectorCoresOp &part, llvm::function_ref<void()> emit);
  Operation *firstRefill(const Channel &channel);

  /// The accesses to a buffer.
  struct Accessor {
    Unit unit;
    Pipe pipe;
    bool writes;
    bool operator<(const Accessor &other) const {
      return std::tie(unit, pipe, writes) < std::tie(other.unit, other.pipe, other.writes);
    }
  };
  using Accesses = std::map<Accessor, Operation *>;
  Accesses accessesOf(aicore::AllocOp alloc, bool takesFirst);
  LogicalResult orderReuse(const Reuse &reuse);
  /// The first op of the phase that is or contains an instruction: the loop over tiles.
  Operation *firstWork();
  /// Marks the start of all work and its flags while this pass runs: initial sets go before it.
  Operation *start = nullptr;
  /// The first of as many numbers as there are copies, at first without a limit of numbers.
  int64_t allocate(EventGroup group);
  int64_t allocate(Channel &channel, bool forward);
  void emit(Channel &channel, bool set, bool forward, int64_t event, Value slot, Location loc);
  /// One flag of a group, at the builder's place.
  void emitFlag(const EventGroup &group, bool set, int64_t number, Value slot, Location loc);

  Unit unitOf(Operation *op) {
    // On a coupled chip all pipes belong to one core.
    return machine.getTopology() == aicore::Topology::split ? aicore::unitOf(op) : Unit::cube_core;
  }

  aicore::PhaseOp phase;
  aicore::MachineAttr machine;
  const bool keepImplied;
  OpBuilder b;
  std::vector<Channel> channels;
  SmallVector<EventGroup> events;
  int64_t numbers = 0; ///< taken
  SmallVector<Reuse> reuses;
  /// The begin and the end of the vector cores' flags, if there are any.
  aicore::VectorCoresOp begin, end;
};

LogicalResult PhaseSync::collect() {
  WalkResult result = phase.walk([&](aicore::AllocOp alloc) {
    for (int64_t part = 0; part < static_cast<int64_t>(alloc.getParts()); ++part)
      if (failed(collect(alloc, part)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult PhaseSync::collect(aicore::AllocOp alloc, int64_t part) {
  // The pipes that fill it and those that use it: mostly one each.
  llvm::MapVector<std::pair<Unit, Pipe>, Side> fills, uses, all;
  SmallVector<aicore::ProducerAcquireOp> opens;
  SmallVector<aicore::ProducerCommitOp> closes;
  SmallVector<aicore::ReleaseOp> releases;
  for (Operation *user : alloc.getResult().getUsers()) {
    if (auto release = dyn_cast<aicore::ReleaseOp>(user))
      releases.push_back(release);
    if (auto open = dyn_cast<aicore::ProducerAcquireOp>(user))
      if (static_cast<int64_t>(open.getPart()) == part)
        opens.push_back(open);
    if (auto close = dyn_cast<aicore::ProducerCommitOp>(user))
      if (static_cast<int64_t>(close.getPart()) == part)
        closes.push_back(close);
    auto instruction = dyn_cast<aicore::Instruction>(user);
    if (!instruction)
      continue;
    for (const aicore::Access &access : instruction.getAccesses()) {
      if (access.buffer != alloc.getResult() || access.part.value_or(part) != part)
        continue;
      auto slot = access.slot ? access.slot.getDefiningOp<aicore::SlotOp>() : aicore::SlotOp();
      if (!slot)
        return user->emitOpError("expected an aicore.slot for ") << alloc.getName();
      std::pair<Unit, Pipe> who{unitOf(user), instruction.getPipe()};
      for (Side *side : {&(access.writes ? fills : uses)[who], &all[who]}) {
        std::tie(side->unit, side->pipe) = who;
        side->reads |= access.reads;
        side->writes |= access.writes;
        side->add(slot, user);
      }
    }
  }
  if (opens.empty() != closes.empty())
    return alloc.emitOpError(
        "has an aicore.producer_acquire or an aicore.producer_commit without the other");
  if (fills.size() > 1)
    return collectProducers(alloc, all.takeVector());
  for (auto &[filler, fill] : fills) {
    fill.opens = opens;
    fill.closes = closes;
    for (auto &[user, use] : uses) {
      use.releases = releases;
      if (filler != user) // one pipe that fills and uses is in order by itself
        channels.push_back({alloc, fill, use, static_cast<int64_t>(alloc.getCopies()), {}});
    }
  }
  return success();
}

// Several pipes fill it one after the other, such as a load and the sum that is added to it. Any
// two pipes of which one writes are ordered; flags that the others imply are removed later.
LogicalResult PhaseSync::collectProducers(aicore::AllocOp alloc, Sides sides) {
  for (auto [i, entry] : llvm::enumerate(sides))
    for (auto &[otherPipe, other] : ArrayRef(sides).drop_front(i + 1)) {
      const Side &side = entry.second;
      if (!side.writes && !other.writes)
        continue;
      std::optional<bool> isFirst = comesFirst(side, other);
      if (!isFirst)
        return alloc.emitOpError("is accessed in turns by ")
               << aicore::stringifyPipe(side.pipe) << " and " << aicore::stringifyPipe(other.pipe)
               << " in the life of one slot, which no pair of flags can order";
      channels.push_back({alloc,
                          *isFirst ? side : other,
                          *isFirst ? other : side,
                          static_cast<int64_t>(alloc.getCopies()),
                          {}});
    }
  return success();
}

// A and B of a product are loaded together and used together: one flag orders both. Two channels
// share a flag when each site of the first has a site of the second in the same block, for the same
// number of generation, and no use of the first comes before a fill of the second, which may depend
// on it.
void PhaseSync::shareFlags() {
  auto sharesSide = [](const Side &x, const Side &y) {
    if (x.pipe != y.pipe || x.unit != y.unit || x.sites.size() != y.sites.size() ||
        !x.opens.empty() || !y.opens.empty() || !x.releases.empty() || !y.releases.empty())
      return false;
    return llvm::all_of(x.sites, [&](auto &entry) {
      return llvm::any_of(y.sites,
                          [&](auto &other) { return sameGeneration(entry.second, other.second); });
    });
  };
  auto isFilledBefore = [](const Side &fill, const Side &use) {
    return llvm::none_of(fill.sites, [&](auto &filled) {
      return llvm::any_of(use.sites, [&](auto &used) {
        return sameGeneration(filled.second, used.second) &&
               used.second.first->isBeforeInBlock(filled.second.last);
      });
    });
  };
  std::vector<Channel> shared;
  for (Channel &channel : channels) {
    auto host = llvm::find_if(shared, [&](Channel &other) {
      return other.copies == channel.copies && sharesSide(other.fill, channel.fill) &&
             sharesSide(other.use, channel.use) && isFilledBefore(other.fill, channel.use) &&
             isFilledBefore(channel.fill, other.use);
    });
    if (host == shared.end()) {
      shared.push_back(channel);
      continue;
    }
    auto widen = [](Side &into, Side &from) {
      for (auto &[op, site] : into.sites)
        for (auto &[otherOp, other] : from.sites) {
          if (!sameGeneration(site, other))
            continue;
          if (other.first->isBeforeInBlock(site.first))
            site.first = other.first;
          if (site.last->isBeforeInBlock(other.last))
            site.last = other.last;
          // The shared flag is of the slot that is computed first; both count the same.
          aicore::SlotOp slot = site.slot;
          if (slot->getBlock() == site.block && site.first->isBeforeInBlock(slot))
            slot->moveBefore(site.first);
        }
    };
    host->sharers.push_back(channel.buffer);
    widen(host->fill, channel.fill);
    widen(host->use, channel.use);
  }
  channels = std::move(shared);
}

int64_t PhaseSync::allocate(EventGroup group) {
  group.first = numbers;
  numbers += group.count;
  events.push_back(group);
  return group.first;
}

int64_t PhaseSync::allocate(Channel &channel, bool forward) {
  const Side &from = forward ? channel.fill : channel.use,
             &to = forward ? channel.use : channel.fill;
  return allocate(
      {channel.buffer, from.unit, to.unit, from.pipe, to.pipe, /*first=*/0, channel.copies});
}

// `forward` is "filled", the other is "free again". Where a buffer is carried from one part of the
// program of the vector cores to the next, its flags stand in parts of their own.
void PhaseSync::emit(Channel &channel, bool set, bool forward, int64_t event, Value slot,
                     Location loc) {
  const Side &from = forward ? channel.fill : channel.use,
             &to = forward ? channel.use : channel.fill;
  const EventGroup group{channel.buffer, from.unit, to.unit, from.pipe, to.pipe};
  const Unit unit = set ? from.unit : to.unit;
  const bool isInPart = aicore::unitOf(b.getInsertionBlock()->getParentOp()) == Unit::vector_core ||
                        isa<aicore::VectorCoresOp>(b.getInsertionBlock()->getParentOp());
  auto create = [&] { emitFlag(group, set, event, slot, loc); };
  if (unit == Unit::vector_core && !isInPart)
    emitOnce(unit, create);
  else
    create();
}

void PhaseSync::emitFlag(const EventGroup &group, bool set, int64_t number, Value slot,
                         Location loc) {
  if (group.isCross() && set)
    aicore::SetCrossOp::create(b, loc, group.toUnit, group.from, number, slot);
  else if (group.isCross())
    aicore::WaitCrossOp::create(b, loc, group.fromUnit, group.to, number, slot);
  else if (set)
    aicore::SetFlagOp::create(b, loc, group.from, group.to, number, slot);
  else
    aicore::WaitFlagOp::create(b, loc, group.from, group.to, number, slot);
}

Operation *PhaseSync::firstWork() {
  for (Operation &op : phase.getBody().front())
    if (op.walk([](aicore::Instruction) { return WalkResult::interrupt(); }).wasInterrupted())
      return &op;
  return nullptr;
}

// A use that ends under a condition begins under the same one: the row of a bias is filled and used
// by the first split of a reduction alone.
void PhaseSync::toUse(const Side &use, const Site &site) {
  b.setInsertionPoint(site.first);
  for (aicore::ReleaseOp release : use.releases) {
    auto branch = dyn_cast<scf::IfOp>(release->getParentOp());
    if (!branch || branch->getBlock() != site.block || release->getBlock() != branch.thenBlock())
      continue;
    Value condition = branch.getCondition();
    auto first = dyn_cast<scf::IfOp>(site.first);
    if (!first || first.getCondition() != condition) {
      first = scf::IfOp::create(b, site.first->getLoc(), condition, /*withElseRegion=*/false);
      b.setInsertionPoint(first.thenBlock()->getTerminator());
      return;
    }
    b.setInsertionPointToStart(first.thenBlock());
    return;
  }
}

void PhaseSync::insert(Channel &channel) {
  const int64_t filled = allocate(channel, true), freed = allocate(channel, false);

  for (aicore::ProducerAcquireOp open : channel.fill.opens) {
    b.setInsertionPoint(open);
    emit(channel, /*set=*/false, /*forward=*/false, freed, open.getSlot(), open.getLoc());
  }
  for (aicore::ProducerCommitOp close : channel.fill.closes) {
    b.setInsertionPoint(close);
    emit(channel, /*set=*/true, /*forward=*/true, filled, close.getSlot(), close.getLoc());
  }
  for (auto &[op, site] : channel.fill.sites) {
    if (!channel.fill.opens.empty())
      break;
    aicore::SlotOp slot = site.slot;
    b.setInsertionPoint(site.first);
    emit(channel, /*set=*/false, /*forward=*/false, freed, slot, site.first->getLoc());
    b.setInsertionPointAfter(site.last);
    emit(channel, /*set=*/true, /*forward=*/true, filled, slot, site.last->getLoc());
  }
  for (auto &[op, site] : channel.use.sites) {
    aicore::SlotOp slot = site.slot;
    toUse(channel.use, site);
    emit(channel, /*set=*/false, /*forward=*/true, filled, slot, site.first->getLoc());
    if (!channel.use.releases.empty())
      continue;
    b.setInsertionPointAfter(site.last);
    emit(channel, /*set=*/true, /*forward=*/false, freed, slot, site.last->getLoc());
  }
  for (aicore::ReleaseOp release : channel.use.releases) {
    b.setInsertionPoint(release);
    emit(channel, /*set=*/true, /*forward=*/false, freed, release.getSlot(), release.getLoc());
  }

  // Before the first generation every slot is free. No pipe waits for it after the last use, and
  // the flag is taken down: when the phase ends, or before another buffer is filled into the same
  // bytes.
  Location loc = channel.buffer.getLoc();
  auto everySlot = [&](bool set) {
    for (int64_t i = 0; i < channel.copies; ++i)
      emit(channel, set, /*forward=*/false, freed, arith::ConstantIndexOp::create(b, loc, i), loc);
  };
  atBegin(channel.use.unit, [&] { everySlot(/*set=*/true); });
  if (Operation *nextWriter = firstRefill(channel)) {
    b.setInsertionPoint(nextWriter);
    emitOnce(channel.fill.unit, [&] { everySlot(/*set=*/false); });
  } else {
    atEnd(channel.fill.unit, [&] { everySlot(/*set=*/false); });
  }
}

// The vector cores have one part of the program at the begin and one at the end of a phase.
void PhaseSync::atBegin(Unit unit, llvm::function_ref<void()> emit) {
  b.setInsertionPoint(start);
  onCores(unit, begin, emit);
}
void PhaseSync::atEnd(Unit unit, llvm::function_ref<void()> emit) {
  b.setInsertionPointToEnd(&phase.getBody().front());
  onCores(unit, end, emit);
}
void PhaseSync::onCores(Unit unit, aicore::VectorCoresOp &part, llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  if (unit == Unit::vector_core) {
    if (!part) {
      part = aicore::VectorCoresOp::create(b, phase.getLoc(), machine.getVectorCores());
      b.createBlock(&part.getBody(), {}, b.getIndexType(), phase.getLoc());
    }
    b.setInsertionPointToEnd(&part.getBody().front());
  }
  emit();
}

/// The first step in which the pipe that fills this channel's buffer fills another into its bytes.
Operation *PhaseSync::firstRefill(const Channel &channel) {
  std::optional<unsigned> first;
  for (const Reuse &reuse : reuses) {
    aicore::AllocOp earlier = reuse.earlier.alloc;
    if (earlier != channel.buffer && !llvm::is_contained(channel.sharers, earlier))
      continue;
    aicore::Instruction filler = reuse.later.first.instruction;
    if (filler.getPipe() == channel.fill.pipe && unitOf(filler) == channel.fill.unit)
      first = std::min(first.value_or(~0u), reuse.later.first.step);
  }
  return first ? stepsOf(phase)[*first] : nullptr;
}

/// The pipes that access a buffer, and whether they write it, with the step of the first or the
/// last such instruction.
PhaseSync::Accesses PhaseSync::accessesOf(aicore::AllocOp alloc, bool takesFirst) {
  Accesses touches;
  for (auto [number, step] : llvm::enumerate(stepsOf(phase)))
    step->walk([&](aicore::Instruction instruction) {
      auto touch = [&](bool writes) {
        const Accessor who{unitOf(instruction), instruction.getPipe(), writes};
        if (!takesFirst || !touches.contains(who))
          touches[who] = step;
      };
      for (const aicore::Access &access : instruction.getAccesses())
        if (access.buffer == alloc.getResult())
          touch(access.writes);
      if (auto vector = dyn_cast<aicore::VectorOp>(instruction.getOperation()))
        if (llvm::is_contained(vector.getScratch(), alloc.getResult()))
          touch(/*writes=*/true);
    });
  return touches;
}

// Each pipe that accesses the later buffer waits for all pipes that may still access the earlier
// one. Most of these flags are implied by others, and are removed: a buffer that is read was filled
// before, by a pipe that waited.
LogicalResult PhaseSync::orderReuse(const Reuse &reuse) {
  aicore::AllocOp earlier = reuse.earlier.alloc, later = reuse.later.alloc;
  if (earlier.getSpace() == aicore::Space::gm)
    return later.emitOpError("takes bytes of ")
           << earlier.getName() << " in global memory, where flags of one core order too little";
  const Accesses touches = accessesOf(later, /*takesFirst=*/true);
  for (auto &[before, lastStep] : accessesOf(earlier, /*takesFirst=*/false))
    for (auto &[after, firstStep] : touches) {
      const bool isOnePipe = before.pipe == after.pipe && before.unit == after.unit;
      if (isOnePipe || !(before.writes || after.writes))
        continue;
      const EventGroup group{later, before.unit, after.unit, before.pipe, after.pipe, 0, 1};
      const int64_t number = allocate(group);
      Location loc = later.getLoc();
      auto zero = [&] { return arith::ConstantIndexOp::create(b, loc, 0); };
      b.setInsertionPointAfter(lastStep);
      emitOnce(before.unit, [&] { emitFlag(group, /*set=*/true, number, zero(), loc); });
      b.setInsertionPoint(firstStep);
      emitOnce(after.unit, [&] { emitFlag(group, /*set=*/false, number, zero(), loc); });
    }
  return success();
}

LogicalResult PhaseSync::run() {
  if (phase
          .walk([](Operation *op) {
            return isa<aicore::SetFlagOp, aicore::SetCrossOp>(op) ? WalkResult::interrupt()
                                                                  : WalkResult::advance();
          })
          .wasInterrupted())
    return phase.emitOpError("has flags already");
  if (failed(collect()))
    return failure();
  shareFlags();
  reuses = reusesOf(phase);
  if (channels.empty() && reuses.empty())
    return success();
  b.setInsertionPoint(firstWork());
  start = arith::ConstantIndexOp::create(b, phase.getLoc(), 0);
  for (Channel &channel : channels)
    insert(channel);
  for (const Reuse &reuse : reuses)
    if (failed(orderReuse(reuse)))
      return failure();
  start->erase();
  SmallVector<Operation *> markers;
  phase.walk([&](Operation *op) {
    if (isa<aicore::ProducerAcquireOp, aicore::ProducerCommitOp, aicore::ReleaseOp>(op))
      markers.push_back(op);
  });
  for (Operation *op : markers)
    op->erase();
  if (!keepImplied && failed(dropImplied()))
    return failure();
  return numberEvents(phase, machine, events);
}

// Several channels between the same two pipes, or around a circle of pipes, can order each other:
// where a tile is one step of its rows, the data that the rows share is free when the rows are.
LogicalResult PhaseSync::dropImplied() {
  std::optional<sync::PhaseModel> program = sync::PhaseModel::read(phase, /*anyNumber=*/true);
  if (!program)
    return failure();
  for (const sync::FlagGroup &group : sync::impliedFlags(*program))
    for (Operation *op : group) {
      Operation *slot = op->getOperand(0).getDefiningOp();
      op->erase();
      if (slot && isOpTriviallyDead(slot))
        slot->erase();
    }
  // Parts of the program that only had flags.
  phase.walk([](aicore::VectorCoresOp part) {
    if (llvm::all_of(part.getBody().front(), [](Operation &op) { return isMemoryEffectFree(&op); }))
      part.erase();
  });
  return success();
}

struct InsertSyncPass : impl::InsertSyncBase<InsertSyncPass> {
  using InsertSyncBase::InsertSyncBase;

  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    bool failedAny = false;
    getOperation().walk([&](aicore::PhaseOp phase) {
      failedAny |= failed(PhaseSync(phase, machine, keepImplied).run());
    });
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace mmk
