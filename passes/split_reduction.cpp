#include "passes/arithmetic.h"
#include "passes/chains/chain.h"
#include "passes/passes.h"
#include "passes/sizes/split_sum.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_SPLITREDUCTION
#include "passes/Passes.h.inc"

namespace {

// The partial sums are stored to memory and added in a fixed order. Atomic stores would save the
// second fusion group; but then the order of a sum, and with it the last bits of the result, would
// depend on the timing of the cores.
class Splitter {
public:
  Splitter(ir::KernelOp kernel, ir::FusionGroupOp group, linalg::ContractOp contract,
           int64_t splits)
      : kernel(kernel), group(group), contract(contract), splits(splits), b(group),
        loc(contract.getLoc()), dims(dimNames(cast<linalg::LinalgOp>(contract.getOperation()))),
        reduction(productDims(contract)->reduction) {
    for (int64_t i = 0; i < cast<RankedTensorType>(contract.getResult(0).getType()).getRank(); ++i)
      outputs.push_back(dimName(contract.getResult(0), i));
  }

  void run() {
    chooseLength();
    Value partial = emitSplits();
    emitSum(partial);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  void chooseLength();
  Value emitSplits();
  Value sliceOf(Value operand, AffineMap along, Value first, Value size);
  Value startOf(Value split, Value empty, IRMapping &map);
  void emitSum(Value partial);

  ir::KernelOp kernel;
  ir::FusionGroupOp group;
  linalg::ContractOp contract;
  int64_t splits;
  OpBuilder b;
  Location loc;
  SmallVector<StringRef> dims;    ///< of the product's loops ...
  unsigned reduction;             ///< ... of which this is the reduction
  SmallVector<StringRef> outputs; ///< dimensions of its result
  Value depth;                    ///< of the whole reduction
  Value length;                   ///< of a split
  Value count;                    ///< of splits that have work
};

void Splitter::chooseLength() {
  const int64_t tile = kernel.chosenNumber(("tile." + dims[reduction]).str(), 1);
  const int64_t stage = kernel.chosenNumber(("stage." + dims[reduction]).str(), tile);
  depth = dimValue(b, loc, dims[reduction]);
  length = depthOfSplit(Arithmetic{b, loc}, depth, splits, tile, stage);
  count = arith::CeilDivSIOp::create(b, loc, depth, length);
}

/// The slice of an operand that one split of the reduction reads.
Value Splitter::sliceOf(Value operand, AffineMap along, Value first, Value size) {
  SmallVector<OpFoldResult> offsets, sizes,
      strides(along.getNumResults(), OpFoldResult(b.getIndexAttr(1)));
  for (AffineExpr expression : along.getResults()) {
    const unsigned dim = cast<AffineDimExpr>(expression).getPosition();
    const bool isDepth = dim == reduction;
    offsets.push_back(isDepth ? OpFoldResult(first) : OpFoldResult(b.getIndexAttr(0)));
    sizes.push_back(isDepth ? size : dimValue(b, loc, dims[dim]));
  }
  return tensor::ExtractSliceOp::create(b, loc, operand, offsets, sizes, strides);
}

Value Splitter::emitSplits() {
  auto product = cast<RankedTensorType>(contract.getResult(0).getType());
  SmallVector<int64_t> shape(product.getRank() + 1, ShapedType::kDynamic);
  auto type = RankedTensorType::get(shape, product.getElementType());
  auto inSplits =
      ir::FusionGroupOp::create(b, loc, TypeRange{type}, DenseI64ArrayAttr(), DenseI64ArrayAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(b.createBlock(&inSplits.getBody(), {}, b.getIndexType(), loc));

  // The operands are defined outside of the fusion group that is split.
  IRMapping map;
  for (Operation &op : group.getBody().front())
    if (isa<tensor::ExtractSliceOp, ir::WindowOp>(op) || isReshape(&op) ||
        op.hasTrait<OpTrait::ConstantLike>() || isa<tensor::DimOp, ir::DimOp>(op))
      b.clone(op, map);
  SmallVector<OpFoldResult> extents = {count};
  for (StringRef dim : outputs)
    extents.push_back(dimValue(b, loc, dim));
  Value all = tensor::EmptyOp::create(b, loc, extents, product.getElementType());
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{count}, all, std::nullopt);
  {
    OpBuilder::InsertionGuard inLoop(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = arith::MulIOp::create(b, loc, loop.getInductionVar(0), length);
    Value rest = arith::SubIOp::create(b, loc, depth, first);
    // No split is empty, which the proof of the flags has to know from here on.
    Value size =
        arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, rest, length), index(1));
    SmallVector<Value> operands;
    for (auto [operand, along] : llvm::zip(contract.getInputs(), contract.getIndexingMapsArray()))
      operands.push_back(sliceOf(map.lookupOrDefault(operand), along, first, size));
    Value empty =
        tensor::EmptyOp::create(b, loc, ArrayRef(extents).drop_front(), product.getElementType());
    operands.push_back(startOf(loop.getInductionVar(0), empty, map));
    auto split =
        cast<linalg::ContractOp>(mlir::clone(b, contract, contract->getResultTypes(), operands));
    SmallVector<OpFoldResult> offsets(extents.size(), b.getIndexAttr(0)), sizes(extents),
        strides(extents.size(), b.getIndexAttr(1));
    offsets[0] = loop.getInductionVar(0);
    sizes[0] = b.getIndexAttr(1);
    b.setInsertionPointToEnd(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, split.getResult(0), loop.getRegionIterArgs()[0],
                                          offsets, sizes, strides);
  }
  ir::YieldOp::create(b, loc, loop.getResults());
  return inSplits.getResult(0);
}

/// The initial value of one split: zero, or for a product that starts from a row, that row in the
/// first split only.
Value Splitter::startOf(Value split, Value empty, IRMapping &map) {
  auto zero = [&] {
    Type element = cast<RankedTensorType>(empty.getType()).getElementType();
    Value value = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    return linalg::FillOp::create(b, loc, value, empty).getResult(0);
  };
  auto row = contract.getOutputs()[0].getDefiningOp<linalg::BroadcastOp>();
  if (!row)
    return zero();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, split, index(0));
  auto branch = scf::IfOp::create(b, loc, empty.getType(), isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto start = linalg::BroadcastOp::create(b, row.getLoc(), map.lookupOrDefault(row.getInput()),
                                           empty, row.getDimensions());
  scf::YieldOp::create(b, loc, start->getResults());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, zero());
  return branch.getResult(0);
}

// The sum of the splits replaces the product in its fusion group.
void Splitter::emitSum(Value partial) {
  b.setInsertionPoint(contract);
  Value start = contract.getOutputs()[0];
  if (auto row = start.getDefiningOp<linalg::BroadcastOp>()) {
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(cast<RankedTensorType>(start.getType()).getElementType()));
    start = linalg::FillOp::create(b, loc, zero, row.getInit()).getResult(0);
  }
  auto sum = linalg::ReduceOp::create(
      b, loc, partial, start, ArrayRef<int64_t>{0},
      [](OpBuilder &inner, Location where, ValueRange elements) {
        const bool isFloat = isa<FloatType>(elements[0].getType());
        Value next =
            isFloat ? arith::AddFOp::create(inner, where, elements[1], elements[0]).getResult()
                    : arith::AddIOp::create(inner, where, elements[1], elements[0]).getResult();
        linalg::YieldOp::create(inner, where, next);
      });
  if (Attribute name = contract->getAttr("mmk.name"))
    sum->setAttr("mmk.name", name);
  contract.getResult(0).replaceAllUsesWith(sum.getResult(0));
  contract.erase();
}

struct SplitReductionPass : impl::SplitReductionBase<SplitReductionPass> {
  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      if (failed(checkDims(kernel)) || failed(checkGroups(kernel)))
        return signalPassFailure();
      SmallVector<linalg::ContractOp> contracts;
      for (ir::FusionGroupOp group : kernel.getBody().getOps<ir::FusionGroupOp>())
        llvm::append_range(contracts, group.getBody().getOps<linalg::ContractOp>());
      for (linalg::ContractOp contract : contracts) {
        const int64_t splits =
            kernel.chosenNumber(("grid." + productNames(contract).reduction).str(), 1);
        if (splits == 1)
          continue;
        auto group = cast<ir::FusionGroupOp>(contract->getParentOp());
        // Of two products the columns between them are divided by mmk-split-rows, where they are.
        if (Chain::of(group))
          continue;
        if (group.getSpaceAttr()) {
          const std::string key = ("grid." + productNames(contract).reduction).str();
          kernel.choice(key).emitError()
              << key << " = " << splits
              << " splits a product, but fuse = rows reduces the rows of the whole one; nearest "
                 "legal: "
              << key << " = 1, fuse = all";
          return signalPassFailure();
        }
        Splitter(kernel, group, contract, splits).run();
      }
    }
  }
};

} // namespace
} // namespace mmk
