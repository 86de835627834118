#include "place/live_range.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mmk {

int64_t LiveRange::bytes(int64_t alignment) const {
  aicore::AllocOp op = alloc;
  return static_cast<int64_t>(op.getCopies()) *
         static_cast<int64_t>(llvm::alignTo(op.getBytes(), alignment));
}

SmallVector<Operation *> stepsOf(aicore::PhaseOp phase) {
  SmallVector<Operation *> steps;
  for (Operation &op : phase.getBody().front())
    if (op.walk([](aicore::Instruction) { return WalkResult::interrupt(); }).wasInterrupted())
      steps.push_back(&op);
  return steps;
}

SmallVector<LiveRange> liveRanges(aicore::PhaseOp phase) {
  SmallVector<LiveRange> ranges;
  DenseMap<Value, size_t> rangeOf;
  phase.walk([&](aicore::AllocOp alloc) {
    rangeOf[alloc.getResult()] = ranges.size();
    ranges.push_back({alloc, {}, {}});
  });
  unsigned number = 0, step = 0;
  for (Operation *top : stepsOf(phase)) {
    top->walk<WalkOrder::PreOrder>([&](aicore::Instruction instruction) {
      const Moment now{instruction, step, ++number};
      for (Value operand : instruction->getOperands())
        if (auto found = rangeOf.find(operand); found != rangeOf.end()) {
          LiveRange &range = ranges[found->second];
          if (!range.isTouched())
            range.first = now;
          range.last = now;
        }
    });
    ++step;
  }
  for (LiveRange &range : ranges)
    if (!range.isTouched())
      range.last.step = step;
  return ranges;
}

SmallVector<Reuse> reusesOf(aicore::PhaseOp phase) {
  aicore::MachineAttr machine = aicore::machineOf(phase);
  const SmallVector<LiveRange> ranges = liveRanges(phase);
  auto overlap = [&](LiveRange x, LiveRange y) {
    if (x.alloc.getSpace() != y.alloc.getSpace() || !x.alloc.getOffset() || !y.alloc.getOffset())
      return false;
    const int64_t alignment = machine.alignment(x.alloc.getSpace());
    const int64_t from = *x.alloc.getOffset(), other = *y.alloc.getOffset();
    return from < other + y.bytes(alignment) && other < from + x.bytes(alignment);
  };
  SmallVector<Reuse> reuses;
  for (const LiveRange &earlier : ranges)
    for (const LiveRange &later : ranges)
      if (earlier.last.step < later.first.step && overlap(earlier, later))
        reuses.push_back({earlier, later});
  return reuses;
}

std::string describeCopies(aicore::AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getResult().getType());
  std::string text =
      llvm::formatv("{0} {1} of ", alloc.getCopies(), alloc.getCopies() == 1 ? "copy" : "copies");
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    text += (i ? " x " : "") + std::to_string(extent);
  llvm::raw_string_ostream(text) << " " << type.getElementType();
  return text;
}

unsigned lineOf(Location location) {
  unsigned line = 0;
  location->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColRange>(part)) {
      line = place.getStartLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return line;
}

} // namespace mmk
