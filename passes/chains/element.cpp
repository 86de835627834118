#include "passes/chains/element.h"

#include "ir/rows.h"

using namespace mlir;

namespace mmk {

OpOperand *Element::read(Value x) const {
  auto argument = dyn_cast<BlockArgument>(x);
  return argument && argument.getOwner() == body() ? &op->getOpOperand(argument.getArgNumber())
                                                   : nullptr;
}

std::optional<SmallVector<int64_t>> Element::dimsOf(OpOperand *operand) const {
  SmallVector<int64_t> dims;
  if (auto rows = dyn_cast<ir::RowsOp>(op)) {
    for (int64_t dim : rows.dimsOfInput(operand->getOperandNumber()))
      dims.push_back(dim < 0 ? dim : ids[dim]);
    return dims;
  }
  for (AffineExpr result :
       cast<linalg::GenericOp>(op).getMatchingIndexingMap(operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim)
      return std::nullopt;
    dims.push_back(ids[dim.getPosition()]);
  }
  return dims;
}

Element Element::computed() const {
  OpOperand *operand = read(value);
  auto from = operand ? operand->get().getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  const auto dims = from ? dimsOf(operand) : std::nullopt;
  if (!dims || from.getNumResults() != 1 || from.getNumReductionLoops() != 0)
    return *this;
  return elementOf(from, *dims, -1).computed();
}

Element elementOf(linalg::GenericOp op, ArrayRef<int64_t> dims, int64_t reduced) {
  SmallVector<int64_t> ids(op.getNumLoops(), reduced);
  for (auto [result, dim] : llvm::zip(op.getIndexingMapsArray().back().getResults(), dims))
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      ids[loop.getPosition()] = dim;
  return {op, op.getBody()->getTerminator()->getOperand(0), std::move(ids)};
}

bool areSame(const Element &first, const Element &second) {
  const Element x = first.computed(), y = second.computed();
  OpOperand *readByX = x.read(x.value), *readByY = y.read(y.value);
  if (readByX || readByY)
    return readByX && readByY && readByX->get() == readByY->get() && x.dimsOf(readByX) &&
           x.dimsOf(readByX) == y.dimsOf(readByY);
  Operation *ofX = x.value.getDefiningOp(), *ofY = y.value.getDefiningOp();
  if (x.value == y.value && (!ofX || ofX->getBlock() != x.body()))
    return true;
  if (!ofX || !ofY || ofX->getName() != ofY->getName() ||
      ofX->getDiscardableAttrDictionary() != ofY->getDiscardableAttrDictionary())
    return false;
  auto indexOfX = dyn_cast<linalg::IndexOp>(ofX), indexOfY = dyn_cast<linalg::IndexOp>(ofY);
  if (indexOfX)
    return x.ids[indexOfX.getDim()] == y.ids[indexOfY.getDim()];
  return ofX->getPropertiesAsAttribute() == ofY->getPropertiesAsAttribute() &&
         llvm::equal(ofX->getOperands(), ofY->getOperands(),
                     [&](Value a, Value b) { return areSame(x.at(a), y.at(b)); });
}

} // namespace mmk
