#include "ir/diagnostic_code.h"
#include "passes/variant.h"
#include "place/bank_conflicts.h"
#include "place/live_range.h"
#include "place/passes.h"
#include "support/bytes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_PLANMEMORY
#include "place/Passes.h.inc"

namespace {

/// A buffer of one memory, and its offset.
struct Placement {
  LiveRange range;
  int64_t bytes = 0; ///< of all copies
  int64_t offset = 0;
  size_t number = 0; ///< in program order, so that plans are repeatable

  int64_t end() const { return offset + bytes; }
};

using Placements = SmallVector<Placement>;

/// Bytes are shared over time, except in global memory: it is large, and no flag orders one block's
/// vector cores with each other.
bool mayShare(const Placement &x, const Placement &y) {
  aicore::AllocOp alloc = x.range.alloc;
  return alloc.getSpace() != aicore::Space::gm && !x.range.meets(y.range);
}

/// Places buffers one after the other, each at the lowest offset that no buffer with an overlapping
/// life uses. Returns the bytes used.
int64_t firstFit(Placements &placements) {
  int64_t highest = 0;
  for (auto [i, placement] : llvm::enumerate(placements)) {
    SmallVector<const Placement *> taken;
    for (const Placement &other : ArrayRef(placements).take_front(i))
      if (!mayShare(other, placement))
        taken.push_back(&other);
    llvm::sort(taken, [](auto *x, auto *y) { return x->offset < y->offset; });
    placement.offset = 0;
    for (const Placement *other : taken) {
      if (placement.end() <= other->offset)
        break;
      placement.offset = std::max(placement.offset, other->end());
    }
    highest = std::max(highest, placement.end());
  }
  return highest;
}

/// By start of life, larger first; or by size, if that needs fewer bytes.
int64_t place(Placements &placements) {
  llvm::sort(placements, [](const Placement &x, const Placement &y) {
    return std::tuple(x.range.first.step, -x.bytes, x.number) <
           std::tuple(y.range.first.step, -y.bytes, y.number);
  });
  const int64_t byStart = firstFit(placements);
  Placements bySize = placements;
  llvm::sort(bySize, [](const Placement &x, const Placement &y) {
    return std::tuple(-x.bytes, x.number) < std::tuple(-y.bytes, y.number);
  });
  const int64_t used = firstFit(bySize);
  if (used >= byStart)
    return byStart;
  placements = std::move(bySize);
  return used;
}

DiagnosticCode overflowOf(aicore::Space space) {
  switch (space) {
  case aicore::Space::gm:
    return DiagnosticCode::none;
  case aicore::Space::l1:
    return DiagnosticCode::overflowsL1;
  case aicore::Space::l0a:
    return DiagnosticCode::overflowsL0a;
  case aicore::Space::l0b:
    return DiagnosticCode::overflowsL0b;
  case aicore::Space::l0c:
    return DiagnosticCode::overflowsL0c;
  case aicore::Space::bt:
    return DiagnosticCode::overflowsBt;
  case aicore::Space::ub:
    return DiagnosticCode::overflowsUb;
  }
  llvm_unreachable("a memory");
}

/// Reports each buffer of the memory with its bytes; when not all live at once, with the steps of
/// its life.
void reportOverflow(aicore::Space space, const Placements &placements, int64_t used,
                    aicore::MachineAttr machine) {
  InFlightDiagnostic error =
      withCode(mlir::emitError(placements.front().range.alloc->getLoc())
                   << aicore::stringifySpace(space).upper() << " of "
                   << machine.getName().getValue() << " holds " << inBytes(machine.capacity(space))
                   << ", but this variant needs " << inBytes(used),
               overflowOf(space));
  const bool shares = llvm::any_of(placements, [&](const Placement &x) {
    return llvm::any_of(placements, [&](const Placement &y) { return mayShare(x, y); });
  });
  for (const Placement &placement : placements) {
    aicore::AllocOp alloc = placement.range.alloc;
    mlir::Diagnostic &row = error.attachNote(alloc.getLoc())
                            << alloc.getName() << ": " << describeCopies(alloc) << ", "
                            << inBytes(placement.bytes);
    if (!placement.range.isTouched())
      continue;
    if (shares)
      row << ", alive from step " << placement.range.first.step + 1 << " to "
          << placement.range.last.step + 1;
    aicore::Instruction first = placement.range.first.instruction;
    if (unsigned line = lineOf(first.getLoc()))
      row << ", for line " << line;
  }
}

//===--- banks ----------------------------------------------------------------------------===//

/// Moves the buffers of a memory in banks apart, as far as there is room.
class Separation {
public:
  Separation(aicore::PhaseOp phase, aicore::MachineAttr machine, aicore::Space space)
      : machine(machine), space(space), banks(banksOf(machine, space)) {
    if (banks)
      pairs = operandPairs(phase);
  }

  void run(Placements &placements) const {
    if (!banks || conflicts(placements) == 0)
      return;
    Placements apart = placements;
    for (auto [i, placement] : llvm::enumerate(apart))
      if (!place(placement, ArrayRef(apart).take_front(i)))
        return;
    if (conflicts(apart) < conflicts(placements))
      placements = std::move(apart);
  }

private:
  int64_t conflicts(const Placement &x, const Placement &y) const {
    int64_t count = 0;
    for (const OperandPair &pair : pairs) {
      if (pair.first == x.range.alloc && pair.second == y.range.alloc)
        count += conflictsOf(pair, x.offset, y.offset, machine, *banks).conflicting;
      if (pair.first == y.range.alloc && pair.second == x.range.alloc)
        count += conflictsOf(pair, y.offset, x.offset, machine, *banks).conflicting;
    }
    return count;
  }
  int64_t conflicts(ArrayRef<Placement> all) const {
    int64_t count = 0;
    for (auto [i, x] : llvm::enumerate(all))
      for (const Placement &y : all.take_front(i))
        count += conflicts(x, y);
    return count;
  }

  /// Moves a buffer to the lowest of the offsets with the fewest conflicts: after another buffer,
  /// half of the groups farther, or in the next bank of each group. False when there is no room.
  bool place(Placement &placement, ArrayRef<Placement> placed) const {
    SmallVector<int64_t> candidates;
    auto add = [&](int64_t from) {
      const int64_t half = banks->groups / 2 * banks->rowBytes,
                    bank = banks->groups * banks->bankBytes;
      const int64_t next = llvm::alignTo(from + banks->reserved, bank) - banks->reserved;
      for (int64_t offset : {from, from + half, next, next + half})
        candidates.push_back(llvm::alignTo(offset, machine.alignment(space)));
    };
    add(0);
    for (const Placement &other : placed)
      if (!mayShare(other, placement))
        add(other.end());
    llvm::sort(candidates);
    std::optional<int64_t> best;
    int64_t fewest = 0;
    for (int64_t offset : candidates) {
      placement.offset = offset;
      const bool fits = placement.end() <= machine.capacity(space) &&
                        llvm::none_of(placed, [&](const Placement &other) {
                          return !mayShare(other, placement) && placement.offset < other.end() &&
                                 other.offset < placement.end();
                        });
      if (!fits)
        continue;
      int64_t count = 0;
      for (const Placement &other : placed)
        count += conflicts(placement, other);
      if (!best || count < fewest) {
        best = offset;
        fewest = count;
      }
      if (count == 0)
        break;
    }
    placement.offset = best.value_or(0);
    return best.has_value();
  }

  aicore::MachineAttr machine;
  aicore::Space space;
  std::optional<Banks> banks;
  std::vector<OperandPair> pairs;
};

LogicalResult planPhase(aicore::PhaseOp phase, aicore::MachineAttr machine) {
  llvm::MapVector<aicore::Space, Placements> bySpace;
  for (auto [number, range] : llvm::enumerate(liveRanges(phase))) {
    const aicore::Space space = range.alloc.getSpace();
    bySpace[space].push_back({range, range.bytes(machine.alignment(space)), 0, number});
  }
  LogicalResult result = success();
  for (auto &[space, placements] : bySpace) {
    const int64_t used = place(placements);
    if (used > machine.capacity(space)) {
      reportOverflow(space, placements, used, machine);
      result = failure();
      continue;
    }
    Separation(phase, machine, space).run(placements);
    for (Placement &placement : placements)
      placement.range.alloc.setOffset(placement.offset);
  }
  return result;
}

struct PlanMemoryPass : impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    bool failedAny = false;
    getOperation().walk(
        [&](aicore::PhaseOp phase) { failedAny |= failed(planPhase(phase, machine)); });
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace mmk
