// Generated tensors: mmk.positions, mmk.random and mmk.window.
#include "ir/mmk.h"

using namespace mlir;

namespace mmk::ir {

namespace {

RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult expectRank(Operation *op, Value tensor, int64_t rank, StringRef of) {
  if (tensorOf(tensor).getRank() == rank)
    return success();
  return op->emitOpError("expected a tensor of ")
         << rank << " dimensions, one for each of its " << of << ", found " << tensor.getType();
}

} // namespace

bool isGenerated(Operation *op) { return isa_and_nonnull<PositionsOp, RandomOp, WindowOp>(op); }

StringRef dimensionOfGenerated(Operation *op, unsigned dim) {
  if (auto positions = dyn_cast<PositionsOp>(op))
    return positions.getName();
  const ArrayAttr dims =
      isa<RandomOp>(op) ? cast<RandomOp>(op).getDims() : cast<WindowOp>(op).getDims();
  return cast<StringAttr>(dims[dim]).getValue();
}

LogicalResult PositionsOp::verify() {
  const RankedTensorType type = tensorOf(getResult());
  if (type.getRank() == 1 && type.getElementType().isInteger(32))
    return success();
  return emitOpError("expected a tensor of i32 with one dimension, found ") << type;
}

LogicalResult RandomOp::verify() {
  if (!tensorOf(getResult()).getElementType().isF32())
    return emitOpError("expected a tensor of f32, found ") << getResult().getType();
  return expectRank(*this, getResult(), getDims().size(), "names");
}

LogicalResult WindowOp::verify() {
  const Type element = tensorOf(getSource()).getElementType();
  if (tensorOf(getResult()).getElementType() != element)
    return emitOpError("expected elements of ") << element << ", found " << getResult().getType();
  if (getPadding() && getPadding().getType() != element)
    return emitOpError("expected a padding of ") << element << ", found " << getPadding().getType();
  if (failed(expectRank(*this, getResult(), getDims().size(), "names")) ||
      failed(expectRank(*this, getSource(), getMap().getNumResults(), "indices")))
    return failure();
  if (getMap().getNumDims() != getDims().size() || getMap().getNumSymbols() != getSymbols().size())
    return emitOpError("expected indices of ")
           << getDims().size() << " positions and " << getSymbols().size() << " extents, found "
           << getMapAttr();
  return success();
}

} // namespace mmk::ir
