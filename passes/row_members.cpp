#include "passes/row_members.h"

#include "passes/chains/chain.h"
#include "passes/fuse_producers.h"
#include "passes/variant.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace mmk {

/// A cumulative sum has a loop for each dimension.
static size_t numberOfLoops(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.getNumLoops();
  return cast<ir::CumulateOp>(op).getType().getRank();
}

LogicalResult RowMembers::find() {
  Block &body = group.getBody().front();
  return find(body, cast<ir::YieldOp>(body.getTerminator()).getValues());
}

LogicalResult RowMembers::find(Block &inside, ValueRange given) {
  results.assign(given.begin(), given.end());
  std::optional<Chain> chain = Chain::of(group, inside);
  const auto isBehind = [&](Operation *op) { // a second product, or its epilogue
    return chain && chain->secondOf(op->getResult(0));
  };
  for (Operation &op : inside)
    if (isa<linalg::GenericOp, ir::CumulateOp>(op) && !isBehind(&op))
      ops.push_back(&op);
  for (Value value : results)
    if (Operation *op = value.getDefiningOp(); !llvm::is_contained(ops, op) && !isBehind(op))
      return group.emitOpError("expected to yield results of its operations");
  for (Operation *op : ops)
    if (const size_t loops = numberOfLoops(op); loopsOf(op).size() != loops)
      return op->emitOpError("expected a dimension of its row group for each of its ")
             << loops << " loops";
  return success();
}

OpFoldResult RowMembers::extentInSlices(int64_t dim) {
  for (Operation *op : ops) {
    auto generic = cast<linalg::GenericOp>(op);
    const SpaceLoops loops = loopsOf(op);
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
      const AffineMap map = generic.getMatchingIndexingMap(operand);
      for (auto [i, expression] : llvm::enumerate(map.getResults()))
        if (slice && loops[cast<AffineDimExpr>(expression).getPosition()] == dim)
          return slice.getMixedSizes()[i];
    }
  }
  return {};
}

SmallVector<Value> RowMembers::emptyOutputs(ArrayRef<Value> extents) {
  const Location loc = group.getLoc();
  SmallVector<Value> empty;
  for (Value value : results) {
    Operation *op = value.getDefiningOp();
    SmallVector<OpFoldResult> whole;
    // A dimension of extent 1 stays one that is known when the kernel runs, as in its type.
    for (int64_t dim : dimsOfResult(op, loopsOf(op)))
      whole.push_back(dim < 0 ? dimValue(b, loc, "1") : extents[dim]);
    empty.push_back(tensor::EmptyOp::create(
        b, loc, whole, cast<RankedTensorType>(value.getType()).getElementType()));
  }
  return empty;
}

/// Of the dimensions of a tensor, with -1 for one that the space has not.
static SmallVector<OpFoldResult> along(OpBuilder &b, ArrayRef<int64_t> dims,
                                       ArrayRef<OpFoldResult> ofSpace, int64_t otherwise) {
  SmallVector<OpFoldResult> values;
  for (int64_t dim : dims)
    values.push_back(dim < 0 ? OpFoldResult(b.getIndexAttr(otherwise)) : ofSpace[dim]);
  return values;
}

// An operation on the current tile, from the tiles of the operations before it.
LogicalResult RowMembers::tileOp(linalg::GenericOp op, ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  const SpaceLoops loops = loopsOf(op);
  FailureOr<TilingResult> result =
      cast<TilingInterface>(op.getOperation())
          .getTiledImplementation(b, along(b, loops, offsets, 0), along(b, loops, sizes, 1));
  if (failed(result))
    return op.emitError("this operation cannot be tiled");
  SmallVector<Operation *> others;
  for (Operation *slice : result->generatedSlices) {
    Value known = tiled.lookup(cast<tensor::ExtractSliceOp>(slice).getSource());
    if (known)
      b.replaceOp(slice, known);
    else
      others.push_back(slice);
  }
  DenseMap<Value, Value> products;
  {
    OpBuilder::InsertionGuard guard(b);
    if (failed(fuseProducers(b, others, products)))
      return failure();
  }
  Operation *tile = result->tiledOps[0];
  // A tensor without dimensions has no slice.
  for (OpOperand &operand : tile->getOpOperands())
    if (Value known = tiled.lookup(operand.get()))
      operand.set(known);
  tile->setAttr(loopsAttr, op->getAttr(loopsAttr));
  b.setInsertionPointAfter(tile);
  for (auto [whole, value] : llvm::zip(op.getResults(), tile->getResults()))
    tiled[whole] = value;
  return success();
}

LogicalResult RowMembers::tile(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  for (Operation *op : ops) {
    auto cumulation = dyn_cast<ir::CumulateOp>(op);
    if (!cumulation) {
      if (failed(tileOp(cast<linalg::GenericOp>(op), offsets, sizes)))
        return failure();
      continue;
    }
    const SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(b, group.getLoc(), cumulation.getOperand(), offsets,
                                                sizes, strides);
    auto tile =
        ir::CumulateOp::create(b, op->getLoc(), slice.getType(), slice, cumulation.getAlong());
    tile->setAttr(loopsAttr, op->getAttr(loopsAttr));
    tiled[cumulation.getResult()] = tile.getResult();
  }
  return success();
}

void RowMembers::yieldTiles(scf::ForOp loop, ArrayRef<OpFoldResult> offsets,
                            ArrayRef<OpFoldResult> sizes, Value part) {
  const Location loc = group.getLoc();
  SmallVector<Value> filled;
  for (auto [value, init] : llvm::zip(results, loop.getRegionIterArgs())) {
    Operation *op = value.getDefiningOp();
    const SpaceLoops dims = dimsOfResult(op, loopsOf(op));
    SmallVector<OpFoldResult> at = along(b, dims, offsets, 0), extents = along(b, dims, sizes, 1);
    if (part) {
      at.insert(at.begin(), part);
      extents.insert(extents.begin(), b.getIndexAttr(1));
    }
    const SmallVector<OpFoldResult> strides(at.size(), b.getIndexAttr(1));
    filled.push_back(
        tensor::InsertSliceOp::create(b, loc, tiled.lookup(value), init, at, extents, strides)
            .getResult());
  }
  scf::YieldOp::create(b, loc, filled);
}

void RowMembers::eraseWhole() {
  for (Operation *op : llvm::reverse(ops))
    b.eraseOp(op);
}

void RowMembers::mergeSlices() {
  DominanceInfo dominance;
  eliminateCommonSubExpressions(b, dominance, group);
}

} // namespace mmk
