#include "passes/passes.h"
#include "passes/variant.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Passes.h.inc"

namespace {

/// A buffer and its live range, in steps: top-level ops of the phase, from the first that touches
/// it to the last. What runs inside of one loop overlaps with all of that loop.
struct Range {
  aicore::AllocOp alloc;
  unsigned begin = 0, end = 0;
  unsigned number = 0; ///< in program order, so that plans are repeatable
  int64_t offset = 0;

  int64_t bytes(int64_t alignment) const {
    aicore::AllocOp op = alloc;
    return static_cast<int64_t>(op.getCopies()) *
           static_cast<int64_t>(llvm::alignTo(op.getBytes(), alignment));
  }
  bool meets(const Range &other) const { return begin <= other.end && other.begin <= end; }
};

std::string withUnit(int64_t bytes) {
  if (bytes % 1024 == 0 && bytes > 0)
    return llvm::formatv("{0} KiB", bytes / 1024);
  return llvm::formatv("{0} bytes", bytes);
}

// First fit by start of life, larger first: the lowest aligned offset at which no living buffer is.
int64_t placeRanges(SmallVectorImpl<Range> &ranges, int64_t alignment) {
  llvm::sort(ranges, [&](const Range &x, const Range &y) {
    return std::tuple(x.begin, -x.bytes(alignment), x.number) <
           std::tuple(y.begin, -y.bytes(alignment), y.number);
  });
  int64_t highest = 0;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    SmallVector<Range *> taken;
    for (Range &other : MutableArrayRef(ranges).take_front(i))
      if (other.meets(range))
        taken.push_back(&other);
    llvm::sort(taken, [](Range *x, Range *y) { return x->offset < y->offset; });
    int64_t offset = 0;
    for (Range *other : taken) {
      if (offset + range.bytes(alignment) <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->bytes(alignment));
    }
    range.offset = offset;
    highest = std::max(highest, offset + range.bytes(alignment));
  }
  return highest;
}

void reportOverflow(aicore::PhaseOp phase, aicore::Space space, MutableArrayRef<Range> ranges,
                    int64_t used, aicore::MachineAttr machine) {
  InFlightDiagnostic error = mlir::emitError(ranges.front().alloc.getLoc())
                             << aicore::stringifySpace(space).upper() << " of "
                             << machine.getName().getValue() << " holds "
                             << withUnit(machine.capacity(space)) << ", but this variant needs "
                             << withUnit(used);
  for (Range &range : ranges) {
    auto type = cast<MemRefType>(range.alloc.getResult().getType());
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    error.attachNote(range.alloc.getLoc())
        << range.alloc.getName() << ": " << range.alloc.getCopies()
        << (range.alloc.getCopies() == 1 ? " copy" : " copies") << " of " << type.getShape()[0]
        << " x " << type.getShape()[1] << " " << element << ", "
        << withUnit(static_cast<int64_t>(range.alloc.getCopies()) * range.alloc.getBytes());
  }
}

LogicalResult planPhase(aicore::PhaseOp phase, aicore::MachineAttr machine) {
  llvm::MapVector<aicore::Space, SmallVector<Range>> bySpace;
  unsigned number = 0;
  phase.walk([&](aicore::AllocOp alloc) {
    Range range{alloc, ~0u, 0, number++};
    for (Operation *user : alloc.getResult().getUsers()) {
      Operation *top = phase.getBody().front().findAncestorOpInBlock(*user);
      unsigned step = std::distance(phase.getBody().front().begin(), Block::iterator(top));
      range.begin = std::min(range.begin, step);
      range.end = std::max(range.end, step);
    }
    // A buffer that only its kind of instruction knows of (scratch) lives as long as the phase.
    if (range.begin == ~0u)
      range = {alloc, 0, ~0u - 1, range.number};
    bySpace[alloc.getSpace()].push_back(range);
  });
  LogicalResult result = success();
  for (auto &[space, ranges] : bySpace) {
    int64_t alignment = machine.alignment(space);
    int64_t used = placeRanges(ranges, alignment);
    if (used > machine.capacity(space)) {
      reportOverflow(phase, space, ranges, used, machine);
      result = failure();
      continue;
    }
    for (Range &range : ranges)
      range.alloc.setOffset(range.offset);
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
