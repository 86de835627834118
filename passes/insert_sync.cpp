#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_INSERTSYNC
#include "passes/Passes.h.inc"

namespace {

using aicore::Pipe;
using aicore::Unit;

/// Where one filling of a slot, or one use of it, lives: a block, from the first op there that
/// contains such an access to the last.
struct Site {
  aicore::SlotOp slot;
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

/// The life of a filling is the block of its aicore.slot; but what vector cores do with it is a
/// matter of each of them, and ends with their part of the program.
Block *lifeOf(aicore::SlotOp slot, Operation *user) {
  auto part = user->getParentOfType<aicore::VectorCoresOp>();
  bool crossed = part && !part->isProperAncestor(slot);
  return crossed ? &part.getBody().front() : slot->getBlock();
}

bool sameFilling(Site x, Site y) {
  return x.block == y.block && x.slot.getIndex() == y.slot.getIndex();
}

/// One side of a buffer: the pipe that fills it, or the one that uses it.
struct Side {
  Pipe pipe = Pipe::scalar;
  Unit unit = Unit::cube_core;
  llvm::MapVector<std::pair<Operation *, Block *>, Site> sites; ///< by slot op and block
  /// Where fillings begin and end is said by these instead.
  SmallVector<aicore::OpenOp> opens;
  SmallVector<aicore::CloseOp> closes;

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

/// A buffer, or a part of one, that one pipe fills and another uses. The two orders that it needs:
/// filled before use, and used before the next filling of the same slot.
struct Channel {
  aicore::AllocOp buffer;
  Side fill, use;
  int64_t copies = 1;
};

class PhaseSync {
public:
  PhaseSync(aicore::PhaseOp phase, aicore::MachineAttr machine)
      : phase(phase), machine(machine), b(phase.getContext()) {}

  LogicalResult run();

private:
  LogicalResult collect();
  LogicalResult collect(aicore::AllocOp alloc, int64_t part);
  void shareFlags();
  LogicalResult insert(Channel &channel);
  /// The first op of the phase that is or contains an instruction: the loop over tiles.
  Operation *firstWork();
  /// Stands before all work and its flags while this pass runs: what is set at first goes before
  /// it.
  Operation *start = nullptr;
  LogicalResult allocate(Channel &channel, bool forward, int64_t &event);
  void emit(Channel &channel, bool set, bool forward, int64_t event, Value slot, Location loc);

  Unit unitOf(Operation *op) {
    // On a coupled chip all pipes belong to one core.
    return machine.getTopology() == aicore::Topology::split ? aicore::unitOf(op) : Unit::cube_core;
  }

  aicore::PhaseOp phase;
  aicore::MachineAttr machine;
  OpBuilder b;
  std::vector<Channel> channels;
  std::map<std::tuple<Unit, Pipe, Pipe>, int64_t> events; ///< ids taken, by unit and pair of pipes
  std::map<std::tuple<Unit, Pipe, Pipe>, SmallVector<std::string>> owners;
  int64_t crossFlags = 0;
  /// Where the vector cores' flags begin and end, once there are any.
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
  // Who fills it, and who uses it: mostly one pipe each.
  llvm::MapVector<std::pair<Unit, Pipe>, Side> fills, uses;
  SmallVector<aicore::OpenOp> opens;
  SmallVector<aicore::CloseOp> closes;
  for (Operation *user : alloc.getResult().getUsers()) {
    if (auto open = dyn_cast<aicore::OpenOp>(user))
      if (static_cast<int64_t>(open.getPart()) == part)
        opens.push_back(open);
    if (auto close = dyn_cast<aicore::CloseOp>(user))
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
      Side &side = (access.writes ? fills : uses)[who];
      std::tie(side.unit, side.pipe) = who;
      side.add(slot, user);
    }
  }
  if (fills.size() > 1)
    return alloc.emitOpError("is filled by two pipes, which no flag of this pass can order");
  if (opens.empty() != closes.empty())
    return alloc.emitOpError("has an aicore.open or an aicore.close without the other");
  for (auto &[filler, fill] : fills) {
    fill.opens = opens;
    fill.closes = closes;
    for (auto &[user, use] : uses)
      if (filler != user) // one pipe that fills and uses is in order by itself
        channels.push_back({alloc, fill, use, static_cast<int64_t>(alloc.getCopies())});
  }
  return success();
}

// A and B of a product come in together and are used together: one flag orders both. Two channels
// share when each site of the one has a site of the other in the same block, for the same number
// of filling.
void PhaseSync::shareFlags() {
  auto sharesSide = [](const Side &x, const Side &y) {
    if (x.pipe != y.pipe || x.unit != y.unit || x.sites.size() != y.sites.size() ||
        !x.opens.empty() || !y.opens.empty())
      return false;
    return llvm::all_of(x.sites, [&](auto &entry) {
      return llvm::any_of(y.sites,
                          [&](auto &other) { return sameFilling(entry.second, other.second); });
    });
  };
  std::vector<Channel> shared;
  for (Channel &channel : channels) {
    auto host = llvm::find_if(shared, [&](Channel &other) {
      return other.copies == channel.copies && sharesSide(other.fill, channel.fill) &&
             sharesSide(other.use, channel.use);
    });
    if (host == shared.end()) {
      shared.push_back(channel);
      continue;
    }
    auto widen = [](Side &into, Side &from) {
      for (auto &[op, site] : into.sites)
        for (auto &[otherOp, other] : from.sites) {
          if (!sameFilling(site, other))
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
    widen(host->fill, channel.fill);
    widen(host->use, channel.use);
  }
  channels = std::move(shared);
}

LogicalResult PhaseSync::allocate(Channel &channel, bool forward, int64_t &event) {
  if (channel.fill.unit != channel.use.unit) {
    event = crossFlags;
    crossFlags += channel.copies;
    if (crossFlags <= machine.getCrossFlags())
      return success();
    return mlir::emitError(channel.buffer.getLoc())
           << "this variant needs " << crossFlags << " flags between cube and vector cores, but "
           << machine.getName().getValue() << " has " << machine.getCrossFlags()
           << "; fewer copies of " << channel.buffer.getName() << " (buffers."
           << channel.buffer.getGroup() << ") need fewer";
  }
  const Side &from = forward ? channel.fill : channel.use,
             &to = forward ? channel.use : channel.fill;
  auto key = std::tuple(from.unit, from.pipe, to.pipe);
  int64_t &taken = events[key];
  event = taken;
  taken += channel.copies;
  owners[key].push_back((channel.buffer.getName() + " (" + Twine(channel.copies) + ")").str());
  if (taken <= machine.getEventIds())
    return success();
  return mlir::emitError(channel.buffer.getLoc())
         << "this variant needs " << taken << " event ids from " << aicore::stringifyPipe(from.pipe)
         << " to " << aicore::stringifyPipe(to.pipe) << ", but " << machine.getName().getValue()
         << " has " << machine.getEventIds() << " for each pair of pipes; taken by "
         << llvm::join(owners[key], ", ") << ": fewer copies (buffers." << channel.buffer.getGroup()
         << ") need fewer";
}

// `forward` is "filled", the other is "free again".
void PhaseSync::emit(Channel &channel, bool set, bool forward, int64_t event, Value slot,
                     Location loc) {
  const Side &from = forward ? channel.fill : channel.use,
             &to = forward ? channel.use : channel.fill;
  if (from.unit != to.unit) {
    if (set)
      aicore::SetCrossOp::create(b, loc, to.unit, from.pipe, event, slot);
    else
      aicore::WaitCrossOp::create(b, loc, from.unit, to.pipe, event, slot);
  } else if (set) {
    aicore::SetFlagOp::create(b, loc, from.pipe, to.pipe, event, slot);
  } else {
    aicore::WaitFlagOp::create(b, loc, from.pipe, to.pipe, event, slot);
  }
}

Operation *PhaseSync::firstWork() {
  for (Operation &op : phase.getBody().front())
    if (op.walk([](aicore::Instruction) { return WalkResult::interrupt(); }).wasInterrupted())
      return &op;
  return nullptr;
}

LogicalResult PhaseSync::insert(Channel &channel) {
  int64_t filled = 0, freed = 0;
  if (failed(allocate(channel, true, filled)) || failed(allocate(channel, false, freed)))
    return failure();

  for (aicore::OpenOp open : channel.fill.opens) {
    b.setInsertionPoint(open);
    emit(channel, /*set=*/false, /*forward=*/false, freed, open.getSlot(), open.getLoc());
  }
  for (aicore::CloseOp close : channel.fill.closes) {
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
    b.setInsertionPoint(site.first);
    emit(channel, /*set=*/false, /*forward=*/true, filled, slot, site.first->getLoc());
    b.setInsertionPointAfter(site.last);
    emit(channel, /*set=*/true, /*forward=*/false, freed, slot, site.last->getLoc());
  }

  // Before the first filling every slot is free; after the last use nobody waits for it to be, and
  // the flag is taken down.
  Location loc = channel.buffer.getLoc();
  auto everySlot = [&](bool set, Unit unit, aicore::VectorCoresOp &onVectorCores) {
    if (unit == Unit::vector_core) {
      if (!onVectorCores) {
        onVectorCores = aicore::VectorCoresOp::create(b, loc, machine.getVectorCores());
        b.createBlock(&onVectorCores.getBody(), {}, b.getIndexType(), loc);
      }
      b.setInsertionPointToEnd(&onVectorCores.getBody().front());
    }
    for (int64_t i = 0; i < channel.copies; ++i)
      emit(channel, set, /*forward=*/false, freed, arith::ConstantIndexOp::create(b, loc, i), loc);
  };
  Block &block = phase.getBody().front();
  b.setInsertionPoint(start);
  everySlot(/*set=*/true, channel.use.unit, begin);
  b.setInsertionPointToEnd(&block);
  everySlot(/*set=*/false, channel.fill.unit, end);
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
  if (channels.empty())
    return success();
  b.setInsertionPoint(firstWork());
  start = arith::ConstantIndexOp::create(b, phase.getLoc(), 0);
  for (Channel &channel : channels)
    if (failed(insert(channel)))
      return failure();
  start->erase();
  SmallVector<Operation *> said;
  phase.walk([&](Operation *op) {
    if (isa<aicore::OpenOp, aicore::CloseOp>(op))
      said.push_back(op);
  });
  for (Operation *op : said)
    op->erase();
  return success();
}

struct InsertSyncPass : impl::InsertSyncBase<InsertSyncPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    bool failedAny = false;
    getOperation().walk(
        [&](aicore::PhaseOp phase) { failedAny |= failed(PhaseSync(phase, machine).run()); });
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace mmk
