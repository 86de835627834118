#include "sync/verify_sync_model.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk::sync {
namespace {

bool isInteger(Value value) { return value.getType().isIntOrIndex(); }

/// Slots, conditions and bounds, on which the order of instructions depends, and the values from
/// which they are computed.
llvm::DenseSet<Value> relevantValues(aicore::PhaseOp phase) {
  SmallVector<Value> open;
  phase.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp>(
            [&](auto flag) { open.push_back(flag.getSlot()); })
        .Case([&](aicore::Instruction instruction) {
          for (const aicore::Access &access : instruction.getAccesses())
            if (access.slot)
              open.push_back(access.slot);
        })
        .Case([&](scf::ForOp loop) {
          open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
        })
        .Case([&](scf::IfOp branch) { open.push_back(branch.getCondition()); });
  });
  llvm::DenseSet<Value> relevant;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!isInteger(value) || !relevant.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp(); op && op->getNumRegions() == 0)
      llvm::append_range(open, op->getOperands());
  }
  return relevant;
}

class Reader {
public:
  Reader(PhaseModel &program) : p(program), relevant(relevantValues(program.phase)) {}
  LogicalResult run();

private:
  LogicalResult sequence(Block &block, Sequence &into);
  LogicalResult statement(Operation &op, Sequence &into);
  LogicalResult loop(scf::ForOp op, Sequence &into);
  LogicalResult branch(scf::IfOp op, Sequence &into);
  LogicalResult instruction(aicore::Instruction op, Sequence &into);
  LogicalResult barrier(aicore::BarrierOp op, Sequence &into);
  LogicalResult flag(Operation *op, Kind kind, PipeOf at, int64_t id, Value slot,
                     llvm::function_ref<Flag(int64_t)> make, Sequence &into);
  void arithmetic(Operation &op, Sequence &into);
  void unknown(ValueRange values, Operation *op, Sequence &into);
  void findHazards();
  void findWhatMatters();

  ValueId idOf(Value value) {
    auto [entry, isNew] = ids.try_emplace(value, p.values);
    if (isNew)
      ++p.values;
    return entry->second;
  }
  unsigned pipeOf(Operation *op, Pipe pipe) {
    // On a coupled chip all pipes belong to one core.
    const bool split = p.machine.getTopology() == aicore::Topology::split;
    return pipeOf({split ? aicore::unitOf(op) : Unit::cube_core, pipe});
  }
  unsigned pipeOf(PipeOf pipe) {
    auto found = llvm::find(p.pipes, pipe);
    if (found == p.pipes.end())
      found = p.pipes.insert(found, pipe);
    return found - p.pipes.begin();
  }
  unsigned bufferOf(Value value, int64_t part);
  unsigned eventsOf(unsigned buffer, unsigned pipe, bool writes);
  std::optional<int64_t> slotsOf(Value slot);

  PhaseModel &p;
  llvm::DenseSet<Value> relevant;
  DenseMap<Value, ValueId> ids;
  DenseMap<std::pair<Value, int64_t>, unsigned> bufferIds;
  std::map<std::tuple<unsigned, unsigned, bool>, unsigned> eventIds;
  std::map<std::tuple<bool, unsigned, unsigned, int64_t>, unsigned> flagIds;
  std::vector<std::vector<unsigned>> barriers; ///< the pipes of each
};

LogicalResult Reader::run() {
  auto kernel = cast<aicore::KernelOp>(p.phase->getParentOp());
  auto inputs = [&](Block &block) {
    for (BlockArgument argument : block.getArguments())
      if (relevant.contains(argument))
        p.inputs.emplace_back(idOf(argument), argument);
  };
  inputs(kernel.getBody().front());
  inputs(p.phase.getBody().front());
  for (Operation &op : kernel.getBody().front()) {
    if (&op == p.phase)
      break;
    if (!isa<aicore::PhaseOp>(op) && failed(statement(op, p.body)))
      return failure();
  }
  if (failed(sequence(p.phase.getBody().front(), p.body)))
    return failure();
  p.boundStep.resize(p.values, 0);
  // A bound that is used for more than to end its loop is split by its number of iterations.
  auto bounds = [&](auto &&self, Sequence &statements) -> void {
    for (Statement &s : statements) {
      if (s.kind == Kind::loop && s.isObserved && p.boundStep[s.b] == 0)
        p.boundStep[s.b] = s.number;
      for (Sequence &child : s.children)
        self(self, child);
    }
  };
  bounds(bounds, p.body);
  p.layout.pipes = p.pipes.size();
  p.layout.events = p.events.size();
  p.layout.flags = p.flags.size();
  findHazards();
  findWhatMatters();
  pruneUnordered(p);
  findAhead(p);
  findPeriods(p);
  findScopes(p);
  return success();
}

LogicalResult Reader::sequence(Block &block, Sequence &into) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(statement(op, into)))
      return failure();
  return success();
}

LogicalResult Reader::statement(Operation &op, Sequence &into) {
  auto flagOf = [&](auto it, Kind kind) {
    const unsigned from = pipeOf(it, it.getFrom()), to = pipeOf(it, it.getTo());
    return flag(
        it, kind, p.pipes[kind == Kind::setFlag ? from : to], it.getEvent(), it.getSlot(),
        [&](int64_t id) { return Flag{false, false, from, to, id, 0, 0, {}, {}}; }, into);
  };
  auto cross = [&](auto it, Kind kind) {
    const bool toCube = (kind == Kind::setCross) == (aicore::unitOf(it) == Unit::vector_core);
    return flag(
        it, kind, p.pipes[pipeOf(it, it.getPipe())], it.getFlag(), it.getSlot(),
        [&](int64_t id) { return Flag{true, toCube, 0, 0, id, 0, 0, {}, {}}; }, into);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp it) { return loop(it, into); })
      .Case([&](scf::IfOp it) { return branch(it, into); })
      .Case([&](aicore::VectorCoresOp it) {
        Statement s;
        s.kind = Kind::cores;
        s.op = it;
        s.number = it.getCount();
        s.result = idOf(it.getBody().getArgument(0));
        s.children.emplace_back();
        if (failed(sequence(it.getBody().front(), s.children[0])))
          return failure();
        into.push_back(std::move(s));
        return success();
      })
      .Case([&](aicore::Instruction it) { return instruction(it, into); })
      .Case([&](aicore::SetFlagOp it) { return flagOf(it, Kind::setFlag); })
      .Case([&](aicore::WaitFlagOp it) { return flagOf(it, Kind::waitFlag); })
      .Case([&](aicore::SetCrossOp it) { return cross(it, Kind::setCross); })
      .Case([&](aicore::WaitCrossOp it) { return cross(it, Kind::waitCross); })
      .Case([&](aicore::BarrierOp it) { return barrier(it, into); })
      .Case<aicore::AllocOp, aicore::WorkspaceOp, aicore::TallyOp>([](auto) { return success(); })
      .Default([&](Operation *it) -> LogicalResult {
        if (!isMemoryEffectFree(it))
          return it->emitOpError("is not known to aicore-verify-sync, which cannot tell what it "
                                 "needs to wait for");
        arithmetic(*it, into);
        return success();
      });
}

//===--- arithmetic -----------------------------------------------------------------------===//

void Reader::unknown(ValueRange values, Operation *op, Sequence &into) {
  for (Value value : values)
    if (relevant.contains(value)) {
      Statement s;
      s.op = op;
      s.result = idOf(value);
      into.push_back(std::move(s));
    }
}

void Reader::arithmetic(Operation &op, Sequence &into) {
  if (op.getNumResults() != 1 || !relevant.contains(op.getResult(0)))
    return unknown(op.getResults(), &op, into);
  Statement s;
  s.op = &op;
  auto binary = [&](Kind kind) {
    s.kind = kind;
    s.a = idOf(op.getOperand(0));
    s.b = idOf(op.getOperand(1));
  };
  auto dividing = [&](Kind kind) {
    binary(kind);
    APInt by;
    // Division by anything but a positive constant: unknown.
    if (!matchPattern(op.getOperand(1), m_ConstantInt(&by)) || !by.isStrictlyPositive())
      s.kind = Kind::unknown;
    else
      s.number = by.getSExtValue();
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](arith::ConstantOp it) {
        auto value = dyn_cast<IntegerAttr>(it.getValue());
        s.kind = value ? Kind::constant : Kind::unknown;
        if (value)
          s.number = value.getType().isInteger(1) ? value.getValue().getZExtValue()
                                                  : value.getValue().getSExtValue();
      })
      .Case([&](arith::AddIOp) { binary(Kind::add); })
      .Case([&](arith::SubIOp) { binary(Kind::subtract); })
      .Case([&](arith::MulIOp) { binary(Kind::multiply); })
      .Case([&](arith::MinSIOp) { binary(Kind::minimum); })
      .Case([&](arith::MaxSIOp) { binary(Kind::maximum); })
      .Case([&](arith::DivSIOp) { dividing(Kind::divide); })
      .Case([&](arith::CeilDivSIOp) { dividing(Kind::ceilDivide); })
      .Case([&](arith::RemSIOp) { dividing(Kind::remainder); })
      .Case([&](arith::CmpIOp it) {
        binary(Kind::compare);
        s.number = static_cast<int64_t>(it.getPredicate());
      })
      .Case([&](arith::SelectOp) {
        binary(Kind::select);
        s.c = idOf(op.getOperand(2));
      })
      .Case([&](aicore::SlotOp it) {
        auto alloc = it.getBuffer().getDefiningOp<aicore::AllocOp>();
        s.kind = alloc ? Kind::slot : Kind::unknown;
        s.a = idOf(it.getIndex());
        s.number = alloc ? alloc.getCopies() : 0;
      });
  // Bits are not computed with: on one bit, arithmetic wraps.
  if (s.kind != Kind::constant && s.kind != Kind::compare && s.kind != Kind::select &&
      op.getResult(0).getType().isInteger(1))
    s.kind = Kind::unknown;
  s.result = idOf(op.getResult(0));
  into.push_back(std::move(s));
}

//===--- control flow ---------------------------------------------------------------------===//

LogicalResult Reader::loop(scf::ForOp op, Sequence &into) {
  APInt step;
  if (!matchPattern(op.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return op.emitOpError("has a step that is not a positive constant, so aicore-verify-sync "
                          "cannot tell which slots it takes");
  Statement s;
  s.kind = Kind::loop;
  s.op = op;
  s.number = step.getSExtValue();
  s.a = idOf(op.getLowerBound());
  s.b = idOf(op.getUpperBound());
  s.result = idOf(op.getInductionVar());
  // What stands before the phases is of all of them.
  s.isObserved = llvm::any_of(op.getUpperBound().getUsers(), [&](Operation *user) {
    const bool isBefore =
        user->getBlock() == p.phase->getBlock() &&
        llvm::any_of(user->getResults(), [&](Value it) { return relevant.contains(it); });
    return user != op && (isBefore || p.phase->isProperAncestor(user));
  });
  s.tellsFirst = llvm::any_of(op.getInductionVar().getUsers(), [&](Operation *user) {
    return isa<arith::CmpIOp>(user) && relevant.contains(user->getResult(0));
  });
  s.children.emplace_back();
  unknown(op.getRegionIterArgs(), op, s.children[0]);
  if (failed(sequence(*op.getBody(), s.children[0])))
    return failure();
  into.push_back(std::move(s));
  unknown(op.getResults(), op, into);
  return success();
}

LogicalResult Reader::branch(scf::IfOp op, Sequence &into) {
  Statement s;
  s.kind = Kind::branch;
  s.op = op;
  s.a = idOf(op.getCondition());
  s.children.resize(2);
  if (failed(sequence(*op.thenBlock(), s.children[0])) ||
      (op.elseBlock() && failed(sequence(*op.elseBlock(), s.children[1]))))
    return failure();
  into.push_back(std::move(s));
  unknown(op.getResults(), op, into);
  return success();
}

//===--- instructions and flags -----------------------------------------------------------===//

unsigned Reader::bufferOf(Value value, int64_t part) {
  auto [entry, isNew] = bufferIds.try_emplace({value, part}, p.buffers.size());
  if (isNew) {
    Buffer buffer;
    buffer.value = value;
    if (auto alloc = value.getDefiningOp<aicore::AllocOp>()) {
      buffer.alloc = alloc;
      buffer.part = part;
      buffer.copies = alloc.getCopies();
      buffer.stride = llvm::alignTo(alloc.getBytes(), p.machine.alignment(alloc.getSpace()));
      // L0C holds the columns of an accumulator block after block.
      const int64_t columns = cast<MemRefType>(value.getType()).getShape()[1];
      const int64_t column = alloc.getBytes() / columns, first = part * alloc.getPartWidth();
      buffer.bytes = std::min(columns - first, alloc.getPartWidth()) * column;
      buffer.offset = alloc.getOffset().value_or(0) + first * column;
      p.mostCopies = std::max(p.mostCopies, buffer.copies);
    }
    p.buffers.push_back(buffer);
  }
  return entry->second;
}

unsigned Reader::eventsOf(unsigned buffer, unsigned pipe, bool writes) {
  auto [entry, isNew] =
      eventIds.try_emplace({buffer, pipe, writes}, static_cast<unsigned>(p.events.size()));
  if (isNew)
    for (int64_t slot = 0; slot < p.buffers[buffer].copies; ++slot)
      p.events.push_back({writes ? Event::What::writes : Event::What::reads, buffer, slot, pipe});
  return entry->second;
}

LogicalResult Reader::instruction(aicore::Instruction op, Sequence &into) {
  Statement s;
  s.kind = Kind::access;
  s.op = op;
  s.pipe = pipeOf(op, op.getPipe());
  auto touch = [&](Value memref, Value slot, bool writes, int64_t part = 0) {
    const unsigned buffer = bufferOf(memref, part);
    s.touches.push_back({buffer, eventsOf(buffer, s.pipe, writes), slot ? idOf(slot) : -1, writes});
  };
  for (const aicore::Access &access : op.getAccesses()) {
    auto alloc = access.buffer.getDefiningOp<aicore::AllocOp>();
    if (!access.slot && alloc)
      return op->emitOpError("takes a buffer without a slot");
    const int64_t parts = alloc ? static_cast<int64_t>(alloc.getParts()) : 1;
    for (int64_t part = access.part.value_or(0); part < access.part.value_or(parts - 1) + 1; ++part)
      touch(access.buffer, access.slot, access.writes, part);
  }
  // The scratch of a vector instruction is written, too.
  if (auto vector = dyn_cast<aicore::VectorOp>(op.getOperation()))
    for (Value scratch : vector.getScratch())
      touch(scratch, Value(), true);
  into.push_back(std::move(s));
  unknown(op->getResults(), op, into);
  return success();
}

LogicalResult Reader::barrier(aicore::BarrierOp op, Sequence &into) {
  if (op.getPipe())
    return success(); // a pipe is in order anyway
  Statement s;
  s.kind = Kind::barrier;
  s.op = op;
  for (Pipe pipe : {Pipe::mte1, Pipe::mte2, Pipe::mte3, Pipe::cube, Pipe::fixpipe, Pipe::vector})
    s.joined.push_back(pipeOf(op, pipe));
  barriers.push_back(s.joined);
  into.push_back(std::move(s));
  return success();
}

/// Slots are 0 to this number - 1.
std::optional<int64_t> Reader::slotsOf(Value slot) {
  APInt constant;
  if (matchPattern(slot, m_ConstantInt(&constant)))
    return constant.getSExtValue() + 1;
  if (auto op = slot.getDefiningOp<aicore::SlotOp>())
    if (auto alloc = op.getBuffer().getDefiningOp<aicore::AllocOp>())
      return alloc.getCopies();
  return std::nullopt;
}

LogicalResult Reader::flag(Operation *op, Kind kind, PipeOf at, int64_t id, Value slot,
                           llvm::function_ref<Flag(int64_t)> make, Sequence &into) {
  const bool isCross = kind == Kind::setCross || kind == Kind::waitCross;
  const int64_t ids = isCross ? p.machine.getCrossFlags() : p.machine.getEventIds();
  std::optional<int64_t> slots = slotsOf(slot);
  if (!slots)
    return op->emitOpError("takes a slot that is neither an aicore.slot nor a constant, so "
                           "aicore-verify-sync cannot tell which flag it is");
  const int64_t first = slot.getDefiningOp<aicore::SlotOp>() ? 0 : *slots - 1;
  if (isCross && p.machine.getTopology() != aicore::Topology::split)
    return op->emitOpError("is between cube and vector cores, which on ")
           << p.machine.getName().getValue() << " are one core";
  Statement s;
  s.kind = kind;
  s.op = op;
  s.pipe = pipeOf(at);
  s.a = idOf(slot);
  s.number = first;
  s.firstFlag = id + first;
  for (int64_t i = id + first; i < id + *slots; ++i) {
    if (i < 0 || (i >= ids && !p.anyNumber)) {
      s.flags.push_back(noFlag);
      continue;
    }
    Flag flag = make(i);
    auto key = flag.isCross ? std::tuple(true, flag.toCube ? 1u : 0u, 0u, i)
                            : std::tuple(false, flag.from, flag.to, i);
    auto [entry, isNew] = flagIds.try_emplace(key, static_cast<unsigned>(p.flags.size()));
    if (isNew) {
      flag.setEvent = p.events.size();
      flag.waitEvent = flag.setEvent + 1;
      p.events.push_back({Event::What::set, entry->second, 0, 0});
      p.events.push_back({Event::What::wait, entry->second, 0, 0});
      p.flags.push_back(flag);
    }
    Flag &known = p.flags[entry->second];
    const bool sets = kind == Kind::setFlag || kind == Kind::setCross;
    std::vector<unsigned> &takers = sets ? known.setters : known.waiters;
    if (!llvm::is_contained(takers, s.pipe))
      takers.push_back(s.pipe);
    s.flags.push_back(entry->second);
  }
  into.push_back(std::move(s));
  return success();
}

// Two accesses to the same bytes need an order when one of them writes, and when they are on
// different pipes: a pipe executes in order.
void Reader::findHazards() {
  p.hazards.assign(p.events.size(), Words(p.layout.words(), 0));
  auto isAccess = [](const Event &event) {
    return event.what == Event::What::reads || event.what == Event::What::writes;
  };
  auto overlap = [&](const Event &x, const Event &y) {
    const Buffer &a = p.buffers[x.of], &b = p.buffers[y.of];
    if (x.of == y.of)
      return x.slot == y.slot;
    aicore::AllocOp first = a.alloc, second = b.alloc;
    if (!first || !second || first.getSpace() != second.getSpace() || !first.getOffset() ||
        !second.getOffset())
      return false;
    const int64_t from = a.offset + x.slot * a.stride, other = b.offset + y.slot * b.stride;
    return from < other + b.bytes && other < from + a.bytes;
  };
  for (unsigned i = 0; i < p.events.size(); ++i)
    for (unsigned j = 0; j < p.events.size(); ++j) {
      const Event &x = p.events[i], &y = p.events[j];
      const bool oneWrites = x.what == Event::What::writes || y.what == Event::What::writes;
      if (isAccess(x) && isAccess(y) && oneWrites && x.pipe != y.pipe && overlap(x, y))
        p.hazards[i][j / 64] |= uint64_t(1) << (j % 64);
    }
}

// An event is observed by the pipes of later accesses that it must happen before. Knowledge of it
// matters to these pipes, and to those that set a flag for a pipe to which it matters; not to the
// pipe of the event itself, which always has it.
void Reader::findWhatMatters() {
  const unsigned words = p.layout.words();
  std::vector<llvm::SmallVector<unsigned, 4>> observers(p.events.size()), owners(p.events.size());
  for (unsigned i = 0; i < p.events.size(); ++i) {
    const Event &event = p.events[i];
    if (event.what == Event::What::reads || event.what == Event::What::writes) {
      owners[i] = {event.pipe};
      for (unsigned j = 0; j < p.events.size(); ++j)
        if (p.hazards[i][j / 64] >> (j % 64) & 1)
          observers[j].push_back(event.pipe);
      continue;
    }
    const Flag &flag = p.flags[event.of];
    const bool isSet = event.what == Event::What::set;
    const std::vector<unsigned> &own = isSet ? flag.setters : flag.waiters;
    if (own.size() == 1)
      owners[i] = {own[0]};
    observers[i].append(flag.setters.begin(), flag.setters.end());
    observers[i].append(flag.waiters.begin(), flag.waiters.end());
  }
  p.layout.matters.assign((p.pipes.size() + p.flags.size()) * words, 0);
  auto mark = [&](unsigned holder, unsigned event) {
    uint64_t &word = p.layout.matters[holder * words + event / 64];
    const uint64_t bit = uint64_t(1) << (event % 64);
    return (word & bit) ? false : (word |= bit, true);
  };
  for (unsigned event = 0; event < p.events.size(); ++event) {
    SmallVector<unsigned> open;
    for (unsigned pipe : observers[event])
      if (mark(pipe, event) && !llvm::is_contained(owners[event], pipe))
        open.push_back(pipe);
    while (!open.empty()) {
      const unsigned pipe = open.pop_back_val();
      for (const std::vector<unsigned> &joined : barriers)
        if (llvm::is_contained(joined, pipe))
          for (unsigned other : joined)
            if (mark(other, event) && !llvm::is_contained(owners[event], other))
              open.push_back(other);
      for (unsigned f = 0; f < p.flags.size(); ++f) {
        const Flag &flag = p.flags[f];
        if (!llvm::is_contained(flag.waiters, pipe))
          continue;
        mark(p.pipes.size() + f, event);
        for (unsigned setter : flag.setters)
          if (mark(setter, event) && !llvm::is_contained(owners[event], setter))
            open.push_back(setter);
      }
    }
  }
}

} // namespace

std::optional<PhaseModel> PhaseModel::read(aicore::PhaseOp phase, bool anyNumber) {
  PhaseModel program;
  program.anyNumber = anyNumber;
  program.phase = phase;
  program.machine = aicore::machineOf(phase);
  if (failed(Reader(program).run()))
    return std::nullopt;
  return program;
}

std::string Buffer::name() const {
  if (alloc) {
    aicore::AllocOp op = alloc;
    const std::string which = op.getParts() > 1 ? "part " + std::to_string(part) + " of " : "";
    return (which + op.getName() + " in " + aicore::stringifySpace(op.getSpace())).str();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto workspace = value.getDefiningOp<aicore::WorkspaceOp>())
    return (workspace.getName() + " in gm").str();
  auto argument = cast<BlockArgument>(value);
  auto kernel = cast<aicore::KernelOp>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber() - kernel.getDims().size();
  unsigned parameters = kernel.getArgs().size();
  auto named = cast<ir::NamedAttr>(number < parameters ? kernel.getArgs()[number]
                                                       : kernel.getResults()[number - parameters]);
  return (named.getName().getValue() + " in gm").str();
}

std::string PhaseModel::describe(const PipeOf &pipe, bool withUnit) const {
  std::string text = aicore::stringifyPipe(pipe.pipe).str();
  if (withUnit)
    text += pipe.unit == Unit::cube_core ? " of the cube core" : " of a vector core";
  return text;
}

std::string PhaseModel::describe(const Flag &flag) const {
  if (flag.isCross)
    return (flag.toCube ? "the cross-core flag " : "the cross-core flag ") +
           std::to_string(flag.id) + (flag.toCube ? " to the cube core" : " to the vector cores");
  return "the flag " + describe(pipes[flag.from], false) + " -> " +
         describe(pipes[flag.to], false) + " " + std::to_string(flag.id);
}

} // namespace mmk::sync
