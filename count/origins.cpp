#include "count/origins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk::count {
namespace {

StringRef nameOf(aicore::Space space) {
  static constexpr StringRef names[] = {"GM", "L1", "L0A", "L0B", "L0C", "BT", "UB"};
  return names[static_cast<size_t>(space)];
}

Origin::Buffer describe(Value buffer) {
  const std::string memory = nameOf(aicore::spaceOf(buffer)).str();
  if (auto alloc = buffer.getDefiningOp<aicore::AllocOp>())
    return {alloc.getName().str(), memory};
  if (auto workspace = buffer.getDefiningOp<aicore::WorkspaceOp>())
    return {workspace.getName().str(), memory};
  auto argument = cast<BlockArgument>(buffer);
  auto kernel = cast<aicore::KernelOp>(argument.getOwner()->getParentOp());
  const size_t number = argument.getArgNumber() - kernel.getDims().size();
  const size_t parameters = kernel.getArgs().size();
  Attribute named =
      number < parameters ? kernel.getArgs()[number] : kernel.getResults()[number - parameters];
  return {cast<ir::NamedAttr>(named).getName().str(), memory};
}

/// The place in the user's text; for a fused location, the first.
void locate(Location location, Origin &origin) {
  location->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    if (!place)
      return WalkResult::advance();
    origin.file = place.getFilename().str();
    origin.line = place.getLine();
    origin.column = place.getColumn();
    return WalkResult::interrupt();
  });
}

/// "a, b in L1"; "a in L0A, b in L0B"
std::string listOf(ArrayRef<Origin::Buffer> buffers) {
  std::string text;
  for (size_t i = 0; i < buffers.size(); ++i) {
    text += (i ? ", " : "") + buffers[i].name;
    if (i + 1 == buffers.size() || buffers[i + 1].memory != buffers[i].memory)
      text += " in " + buffers[i].memory;
  }
  return text;
}

/// A flag of the program: the pipes that set it and wait for it, and their units.
struct Flag {
  bool isWait = false, isCross = false;
  aicore::Unit fromUnit = aicore::Unit::cube_core, toUnit = aicore::Unit::cube_core;
  std::optional<aicore::Pipe> from, to; ///< across cores only the own side is given
  int64_t event = 0;
  Value slot;

  bool isSameAs(const Flag &other) const {
    return isCross == other.isCross && fromUnit == other.fromUnit && toUnit == other.toUnit &&
           event == other.event && (isCross || (from == other.from && to == other.to));
  }
};

std::optional<Flag> flagOf(Operation *op) {
  const aicore::Unit unit = aicore::unitOf(op);
  auto within = [&](auto it, bool isWait) {
    return Flag{isWait,
                false,
                unit,
                unit,
                it.getFrom(),
                it.getTo(),
                static_cast<int64_t>(it.getEvent()),
                it.getSlot()};
  };
  return llvm::TypeSwitch<Operation *, std::optional<Flag>>(op)
      .Case([&](aicore::SetFlagOp it) { return within(it, false); })
      .Case([&](aicore::WaitFlagOp it) { return within(it, true); })
      .Case([&](aicore::SetCrossOp it) {
        return Flag{false,
                    true,
                    unit,
                    it.getUnit(),
                    it.getPipe(),
                    std::nullopt,
                    static_cast<int64_t>(it.getFlag()),
                    it.getSlot()};
      })
      .Case([&](aicore::WaitCrossOp it) {
        return Flag{true,
                    true,
                    it.getUnit(),
                    unit,
                    std::nullopt,
                    it.getPipe(),
                    static_cast<int64_t>(it.getFlag()),
                    it.getSlot()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The buffers whose accesses each flag of a phase orders. They are derived: buffers accessed after
/// the waits and also by the pipe that sets.
class Guards {
public:
  explicit Guards(aicore::PhaseOp phase) {
    phase.walk([&](Operation *op) {
      if (auto instruction = dyn_cast<aicore::Instruction>(op))
        instructions_.push_back(instruction);
      if (std::optional<Flag> flag = flagOf(op))
        add(op, *flag);
    });
    for (Group &group : groups_)
      for (Operation *wait : group.waits)
        collect(wait, group);
  }

  void describe(Operation *op, const Flag &flag, Origin &origin) const {
    const Group &group =
        *llvm::find_if(groups_, [&](const Group &each) { return each.flag.isSameAs(flag); });
    origin.isFill = group.isFill;
    for (Value buffer : group.buffers)
      origin.buffers.push_back(count::describe(buffer));
    // A flag that orders no accesses has no buffers.
    if (origin.buffers.empty()) {
      origin.text = flag.isWait ? "wait for a flag" : "set a flag";
      return;
    }
    const std::string what = listOf(origin.buffers);
    if (flag.isWait)
      origin.text = "wait for " + what + (group.isFill ? " to be filled" : " to be free");
    else
      origin.text = what + (group.isFill ? " filled" : " free");
  }

private:
  struct Group {
    Flag flag;
    std::vector<Operation *> waits;
    llvm::SetVector<Value> buffers;
    bool isFill = false;
  };

  void add(Operation *op, const Flag &flag) {
    auto group =
        llvm::find_if(groups_, [&](const Group &each) { return each.flag.isSameAs(flag); });
    if (group == groups_.end())
      group = groups_.insert(groups_.end(), Group{flag, {}, {}, false});
    if (flag.isWait)
      group->waits.push_back(op);
    if (!group->flag.from)
      group->flag.from = flag.from;
    if (!group->flag.to)
      group->flag.to = flag.to;
  }

  /// The same generation of buffers that are filled together, or not a slot at all.
  static bool sameSlot(Value x, Value y) {
    auto slot = x ? x.getDefiningOp<aicore::SlotOp>() : aicore::SlotOp();
    auto other = y ? y.getDefiningOp<aicore::SlotOp>() : aicore::SlotOp();
    return x == y || (slot && other && slot.getIndex() == other.getIndex());
  }

  /// The accesses after a wait: mostly in its block, else after an op that contains it.
  void collect(Operation *wait, Group &group) {
    bool found = false;
    for (Operation *at = wait; !found && !isa<aicore::PhaseOp>(at); at = at->getParentOp())
      for (Operation *next = at->getNextNode(); next; next = next->getNextNode())
        next->walk([&](aicore::Instruction later) { found |= collect(later, wait, group); });
  }

  bool collect(aicore::Instruction later, Operation *wait, Group &group) {
    if (later.getPipe() != *group.flag.to || aicore::unitOf(later) != group.flag.toUnit)
      return false;
    bool found = false;
    const Value slot = flagOf(wait)->slot;
    for (const aicore::Access &access : later.getAccesses())
      if (access.buffer.getDefiningOp<aicore::AllocOp>() && sameSlot(access.slot, slot))
        found |= meet(access, group);
    return found;
  }

  bool meet(const aicore::Access &access, Group &group) {
    bool found = false;
    for (aicore::Instruction earlier : instructions_) {
      if (earlier.getPipe() != group.flag.from || aicore::unitOf(earlier) != group.flag.fromUnit)
        continue;
      for (const aicore::Access &other : earlier.getAccesses())
        if (other.buffer == access.buffer && (other.writes || access.writes)) {
          group.buffers.insert(access.buffer);
          group.isFill |= other.writes;
          found = true;
        }
    }
    return found;
  }

  std::vector<aicore::Instruction> instructions_;
  std::vector<Group> groups_;
};

std::string textOf(aicore::Instruction op) {
  std::string text = op->getName().stripDialect().str();
  if (auto vector = dyn_cast<aicore::VectorOp>(op.getOperation())) {
    for (aicore::VecOp vec : vector.getOps<aicore::VecOp>())
      text += " " + vec.getInstruction().str();
    return text;
  }
  // The transferred tensor, by its name outside of the core.
  const llvm::SmallVector<aicore::Access> accesses = op.getAccesses();
  const bool leaves = isa<aicore::StoreOp, aicore::FixpipeOp>(op.getOperation());
  if (!isa<aicore::MmadOp>(op.getOperation()))
    text += " " + describe(leaves ? accesses.back().buffer : accesses.front().buffer).name;
  return text;
}

} // namespace

Origins::Origins(aicore::PhaseOp phase, const CountProgram &program)
    : origins_(program.steps.size()), slotPlaces_(program.steps.size()) {
  const Guards guards(phase);
  auto placeOf = [&](Value slot) { return slot ? program.places.at(slot) : -1; };
  for (auto [step, op, origin, places] :
       llvm::zip(program.steps, program.origins, origins_, slotPlaces_)) {
    if (step.kind < StepKind::transfer)
      continue;
    locate(op->getLoc(), origin);
    if (std::optional<Flag> flag = flagOf(op)) {
      guards.describe(op, *flag, origin);
      places.assign(origin.buffers.size(), placeOf(flag->slot));
    } else if (auto instruction = dyn_cast<aicore::Instruction>(op)) {
      origin.text = textOf(instruction);
      for (const aicore::Access &access : instruction.getAccesses()) {
        origin.buffers.push_back(describe(access.buffer));
        places.push_back(placeOf(access.slot));
      }
    } else {
      origin.text = "barrier";
    }
  }
}

std::span<const int64_t> Origins::slotsAt(size_t step, const int64_t *values) {
  slots_.clear();
  for (int32_t place : slotPlaces_[step])
    slots_.push_back(place < 0 ? -1 : values[place]);
  return {slots_.data(), slots_.size()};
}

} // namespace mmk::count
