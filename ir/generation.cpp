// The instructions of a core that fill a buffer with a part of a generated tensor.
#include "ir/instructions.h"

using namespace mlir;

namespace mmk::aicore {

namespace {

Type elementIn(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); }

LogicalResult expectElements(Operation *op, Value target, Type type) {
  if (elementIn(target) == type)
    return success();
  return op->emitOpError("expected a target of ") << type << ", found " << target.getType();
}

} // namespace

//===--- aicore.window --------------------------------------------------------------------===//

MMK_EFFECTS(WindowOp)
Pipe WindowOp::getPipe() { return Pipe::mte2; }
SmallVector<Access> WindowOp::getAccesses() {
  return {reading(getSource()), writing(getTarget(), getSlot())};
}

bool WindowOp::isContiguous() {
  MLIRContext *context = getContext();
  const AffineExpr column = getAffineDimExpr(1, context);
  const ArrayRef<AffineExpr> indices = getMap().getResults();
  for (AffineExpr index : indices.drop_back())
    if (index.isFunctionOfDim(1))
      return false;
  const AffineExpr start = indices.back().replace(column, getAffineConstantExpr(0, context));
  return simplifyAffineExpr(indices.back() - start - column, 2, getMap().getNumSymbols()) ==
         getAffineConstantExpr(0, context);
}

LogicalResult WindowOp::verify() {
  if (failed(expectBuffer(*this, "the target", getTarget(), {Space::ub})) ||
      failed(expectSameElements(*this, getSource(), getTarget())))
    return failure();
  if (getPadding() && getPadding().getType() != elementIn(getTarget()))
    return emitOpError("expected a padding of ")
           << elementIn(getTarget()) << ", found " << getPadding().getType();
  const int64_t rank = cast<MemRefType>(getSource().getType()).getRank();
  if (getMap().getNumResults() != rank || getMap().getNumDims() != 2 ||
      getMap().getNumSymbols() != getSymbols().size())
    return emitOpError("expected ") << rank << " indices of a row, a column and "
                                    << getSymbols().size() << " symbols, found " << getMapAttr();
  return success();
}

//===--- aicore.positions -----------------------------------------------------------------===//

MMK_EFFECTS(PositionsOp)
Pipe PositionsOp::getPipe() { return Pipe::vector; }
SmallVector<Access> PositionsOp::getAccesses() { return {writing(getTarget(), getSlot())}; }

LogicalResult PositionsOp::verify() {
  if (failed(expectBuffer(*this, "the target", getTarget(), {Space::ub})))
    return failure();
  return expectElements(*this, getTarget(), IntegerType::get(getContext(), 32));
}

//===--- aicore.random --------------------------------------------------------------------===//

MMK_EFFECTS(RandomOp)
Pipe RandomOp::getPipe() { return Pipe::vector; }
SmallVector<Access> RandomOp::getAccesses() { return {writing(getTarget(), getSlot())}; }

LogicalResult RandomOp::verify() {
  if (failed(expectBuffer(*this, "the target", getTarget(), {Space::ub})))
    return failure();
  return expectElements(*this, getTarget(), Float32Type::get(getContext()));
}

} // namespace mmk::aicore
