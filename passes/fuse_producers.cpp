#include "passes/fuse_producers.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

namespace mmk {

/// A slice of the result of a branch is moved into both of its regions.
static void sinkInto(RewriterBase &b, scf::IfOp branch, tensor::ExtractSliceOp slice,
                     SmallVector<Operation *> &slices) {
  const unsigned which = cast<OpResult>(slice.getSource()).getResultNumber();
  auto sliced = scf::IfOp::create(b, branch.getLoc(), slice.getType(), branch.getCondition(),
                                  /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(branch.thenBlock(), sliced.thenBlock()),
                          std::pair(branch.elseBlock(), sliced.elseBlock())}) {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(to);
    IRMapping copy;
    for (Operation &op : from->without_terminator())
      b.clone(op, copy);
    auto own = tensor::ExtractSliceOp::create(
        b, slice.getLoc(), slice.getType(),
        copy.lookupOrDefault(from->getTerminator()->getOperand(which)), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    scf::YieldOp::create(b, branch.getLoc(), own->getResults());
    slices.push_back(own);
  }
  b.replaceOp(slice, sliced);
}

LogicalResult fuseProducers(RewriterBase &b, SmallVector<Operation *> slices,
                            DenseMap<Value, Value> &tiledProducts) {
  for (size_t i = 0; i < slices.size(); ++i) {
    auto slice = cast<tensor::ExtractSliceOp>(slices[i]);
    Value source = slice.getSource();
    b.setInsertionPoint(slice);
    if (source.getDefiningOp<tensor::EmptyOp>()) {
      auto empty = tensor::EmptyOp::create(b, slice.getLoc(), slice.getMixedSizes(),
                                           slice.getType().getElementType());
      b.replaceOp(slice, empty);
      continue;
    }
    if (auto branch = source.getDefiningOp<scf::IfOp>()) {
      sinkInto(b, branch, slice, slices);
      continue;
    }
    auto producer = dyn_cast_or_null<TilingInterface>(source.getDefiningOp());
    if (!producer)
      continue;
    FailureOr<TilingResult> tiled =
        producer.generateResultTileValue(b, cast<OpResult>(source).getResultNumber(),
                                         slice.getMixedOffsets(), slice.getMixedSizes());
    if (failed(tiled))
      return producer.emitError("this operation cannot be tiled");
    if (isa<linalg::ContractOp, linalg::ReduceOp>(source.getDefiningOp()))
      tiledProducts[source] = tiled->tiledValues[0];
    b.replaceOp(slice, tiled->tiledValues[0]);
    slices.append(tiled->generatedSlices.begin(), tiled->generatedSlices.end());
  }
  return success();
}

} // namespace mmk
