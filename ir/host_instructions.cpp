// Operations of the host, each a whole tile: what they touch, and what they need.
#include "ir/instructions.h"

using namespace mlir;

namespace mmk::aicore {

static LogicalResult expectViews(Operation *op, OperandRange tensors, OperandRange offsets,
                                 ArrayRef<int64_t> along) {
  if (along.size() != 2 * tensors.size())
    return op->emitOpError("expected two dimensions along for each of its ")
           << tensors.size() << " tensors, found " << along.size();
  for (Value tensor : tensors) {
    const size_t rank = cast<MemRefType>(tensor.getType()).getRank();
    if (offsets.size() < rank)
      return op->emitOpError("expected ") << rank << " offsets, found " << offsets.size();
    if (failed(expectSpace(op, "tensors", tensor, {Space::gm})) ||
        failed(expectAlong(op, tensor, offsets.take_front(rank), along.take_front(2))))
      return failure();
    offsets = offsets.drop_front(rank);
    along = along.drop_front(2);
  }
  if (!offsets.empty())
    return op->emitOpError("found ") << offsets.size() << " offsets too many";
  return success();
}

/// Tensors and region of an operation of the host; `more` arguments come from no tensor.
template <typename Op> static LogicalResult verifyHostOp(Op op, size_t more) {
  if (failed(expectViews(op, op.getInputs(), op.getInputOffsets(), op.getInputAlong())) ||
      failed(expectViews(op, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong())))
    return failure();
  Block &block = op.getBody().front();
  const size_t inputs = op.getInputs().size();
  if (block.getNumArguments() != inputs + more)
    return op.emitOpError("expected ")
           << inputs + more << " elements in its region, found " << block.getNumArguments();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != op.getOutputs().size())
    return op.emitOpError("expected to yield one element for each of its ")
           << op.getOutputs().size() << " outputs";
  for (auto [value, output] : llvm::zip(yield.getValues(), op.getOutputs()))
    if (value.getType() != cast<MemRefType>(output.getType()).getElementType())
      return op.emitOpError("expected to yield elements of the type of their tensors, found ")
             << value.getType() << " for " << output.getType();
  return success();
}

// The host has one pipe, as it were; what is scratch is touched by one instruction alone.
static SmallVector<Access> accessesOf(ValueRange read, ValueRange written) {
  SmallVector<Access> accesses;
  for (Value tensor : read)
    accesses.push_back(reading(tensor));
  for (Value tensor : written)
    accesses.push_back(writing(tensor));
  return accesses;
}

MMK_EFFECTS(ProductOp)
Pipe ProductOp::getPipe() { return Pipe::vector; }
SmallVector<Access> ProductOp::getAccesses() {
  SmallVector<Value> read = {getA(), getB()};
  read.append(getInputs().begin(), getInputs().end());
  return accessesOf(read, getOutputs());
}
LogicalResult ProductOp::verify() {
  if (failed(expectSpace(*this, "A", getA(), {Space::gm})) ||
      failed(expectSpace(*this, "B", getB(), {Space::gm})) ||
      failed(expectAlong(*this, getA(), getAOffsets(), getAAlong())) ||
      failed(expectAlong(*this, getB(), getBOffsets(), getBAlong())) ||
      failed(expectSameElements(*this, getA(), getB())) ||
      failed(expectBuffer(*this, "the scratch of A", getAScratch(), {Space::l0a})) ||
      failed(expectBuffer(*this, "the scratch of B", getBScratch(), {Space::l0b})) ||
      failed(expectBuffer(*this, "the accumulator", getAcc(), {Space::l0c})))
    return failure();
  if (getStepAttr().getInt() < 1)
    return emitOpError("expected a positive step, found ") << getStepAttr().getInt();
  return verifyHostOp(*this, /*more=*/1);
}

MMK_EFFECTS(ElementwiseOp)
Pipe ElementwiseOp::getPipe() { return Pipe::vector; }
SmallVector<Access> ElementwiseOp::getAccesses() { return accessesOf(getInputs(), getOutputs()); }
LogicalResult ElementwiseOp::verify() { return verifyHostOp(*this, /*more=*/0); }

} // namespace mmk::aicore
