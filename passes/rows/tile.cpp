#include "passes/rows/tile.h"

#include "passes/variant.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace mmk {

ir::RowsOp rowsToTile(ir::FusionGroupOp group, function_ref<bool(Value)> isElse) {
  ir::RowsOp rows = rowsOf(group);
  const bool isOfRows =
      rows && llvm::all_of(group.getBody().front().getTerminator()->getOperands(),
                           [&](Value it) { return it.getDefiningOp() == rows || isElse(it); });
  if (isOfRows)
    return rows;
  group.emitOpError("expected to yield results of a mmk.rows");
  return {};
}

SmallVector<OpFoldResult> along(OpBuilder &b, ArrayRef<int64_t> dims,
                                ArrayRef<OpFoldResult> ofSpace, int64_t otherwise) {
  return llvm::map_to_vector(dims, [&](int64_t dim) {
    return dim < 0 ? OpFoldResult(b.getIndexAttr(otherwise)) : ofSpace[dim];
  });
}

ir::RowsOp tileOfRows(OpBuilder &b, ir::RowsOp rows, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes, const DenseMap<Value, Value> &tiles) {
  const auto typeOf = [&](ArrayRef<int64_t> dims, Value tensor) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(along(b, dims, sizes, 1), dynamic, shape);
    return RankedTensorType::get(shape, cast<RankedTensorType>(tensor.getType()).getElementType());
  };
  SmallVector<Value> inputs;
  for (auto [number, tensor] : llvm::enumerate(rows.getInputs())) {
    const ArrayRef<int64_t> dims = rows.dimsOfInput(number);
    Value tile = tiles.lookup(tensor);
    if (!tile && !dims.empty()) {
      const SmallVector<OpFoldResult> strides(dims.size(), b.getIndexAttr(1));
      tile = tensor::ExtractSliceOp::create(b, rows.getLoc(), tensor, along(b, dims, offsets, 0),
                                            along(b, dims, sizes, 1), strides);
    }
    inputs.push_back(tile ? tile : tensor);
  }
  SmallVector<Type> types;
  for (OpResult result : rows->getResults())
    types.push_back(typeOf(rows.dimsOfResult(result.getResultNumber()), result));
  return cast<ir::RowsOp>(mlir::clone(b, rows, types, inputs));
}

Value emptyResult(OpBuilder &b, OpResult result, ArrayRef<Value> extents) {
  const Location loc = result.getLoc();
  SmallVector<OpFoldResult> whole;
  // A dimension of extent 1 stays one that is known when the kernel runs, as in its type.
  for (int64_t dim : cast<ir::RowsOp>(result.getOwner()).dimsOfResult(result.getResultNumber()))
    whole.push_back(dim < 0 ? dimValue(b, loc, "1") : extents[dim]);
  return tensor::EmptyOp::create(b, loc, whole,
                                 cast<RankedTensorType>(result.getType()).getElementType());
}

Value insertTile(OpBuilder &b, OpResult tile, Value into, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<OpFoldResult> sizes, Value part) {
  const ArrayRef<int64_t> dims =
      cast<ir::RowsOp>(tile.getOwner()).dimsOfResult(tile.getResultNumber());
  SmallVector<OpFoldResult> at = along(b, dims, offsets, 0), extents = along(b, dims, sizes, 1);
  if (part) {
    at.insert(at.begin(), part);
    extents.insert(extents.begin(), b.getIndexAttr(1));
  }
  const SmallVector<OpFoldResult> strides(at.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, tile.getLoc(), tile, into, at, extents, strides);
}

void mergeSlices(RewriterBase &b, ir::FusionGroupOp group) {
  DominanceInfo dominance;
  eliminateCommonSubExpressions(b, dominance, group);
}

} // namespace mmk
