#include "backend/backend.h"
#include "passes/chains/chain.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_TILEBASE
#include "passes/Passes.h.inc"

namespace {

// A loop over the reduction of a product in steps of `size`. In it, a product of the slices of one
// step, which adds to the accumulator that the loop carries.
//
// scf::tileUsingSCF would do the same, but along all dimensions: it slices the accumulator, too,
// and most of its time goes into composing affine maps of sizes that are whole anyway.
linalg::ContractOp tileReduction(IRRewriter &b, linalg::ContractOp contract, int64_t size) {
  const OpBuilder::InsertionGuard guard(b);
  const Location loc = contract.getLoc();
  b.setInsertionPoint(contract);
  const unsigned reduction = productDims(contract)->reduction;
  const SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
  OpFoldResult whole;
  SmallVector<SmallVector<OpFoldResult>> sizesOf;
  for (auto [operand, map] : llvm::zip(contract.getInputs(), maps)) {
    sizesOf.push_back(tensor::getMixedSizes(b, loc, operand));
    for (auto [dim, size] : llvm::enumerate(sizesOf.back()))
      if (map.getDimPosition(dim) == reduction && !whole)
        whole = size;
  }
  Value depth = getValueOrCreateConstantIndexOp(b, loc, whole);
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  Value zero = constant(0), step = constant(size);
  auto loop = scf::ForOp::create(b, loc, zero, depth, step, contract.getOutputs());

  b.setInsertionPointToStart(loop.getBody());
  Value start = loop.getInductionVar();
  const AffineMap rest = AffineMap::get(
      1, 1, {b.getAffineSymbolExpr(0) - b.getAffineDimExpr(0), b.getAffineConstantExpr(size)},
      b.getContext());
  Value extent = affine::AffineMinOp::create(b, loc, rest, ValueRange{start, depth});
  SmallVector<Value> operands;
  for (auto [operand, map, sizes] : llvm::zip(contract.getInputs(), maps, sizesOf)) {
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
        strides(sizes.size(), b.getIndexAttr(1));
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (map.getDimPosition(dim) == reduction) {
        offsets[dim] = start;
        sizes[dim] = extent;
      }
    operands.push_back(tensor::ExtractSliceOp::create(b, loc, operand, offsets, sizes, strides));
  }
  llvm::append_range(operands, loop.getRegionIterArgs());
  auto tiled =
      cast<linalg::ContractOp>(mlir::clone(b, contract, contract->getResultTypes(), operands));
  scf::YieldOp::create(b, loc, tiled->getResults());
  b.replaceOp(contract, loop.getResults());
  return tiled;
}

// Folds the size arithmetic that tiling leaves behind. Not the canonicaliser: it would also remove
// linalg ops that only copy or fill, and with them the tile that later passes look up.
void foldSizes(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, module.getContext());
  affine::AffineMinOp::getCanonicalizationPatterns(patterns, module.getContext());
  tensor::DimOp::getCanonicalizationPatterns(patterns, module.getContext());
  (void)applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult tileProducts(ir::KernelOp kernel, ir::FusionGroupOp group, const Backend &backend,
                           aicore::MachineAttr machine) {
  SmallVector<linalg::ContractOp> contracts;
  group.walk([&](linalg::ContractOp contract) { contracts.push_back(contract); });
  // The loops of a chain go over both of its products; the back end emits them.
  if (contracts.empty() || Chain::of(group, *contracts[0]->getBlock()))
    return success();
  if (!group.getTile() || group.getSteps())
    return contracts[0].emitOpError(
        group.getSteps() ? "is tiled already" : "is not mapped to cores; run mmk-tile-cores first");
  IRRewriter rewriter(group.getContext());
  SmallVector<int64_t> steps;
  for (linalg::ContractOp contract : contracts) {
    StringRef k = productNames(contract).reduction;
    const int64_t base = baseDepth(kernel, contract, machine,
                                   backend.literalProductTile(machine, operandType(contract)).k);
    int64_t stage = kernel.chosenNumber(("stage." + k).str(), base);
    steps.append({stage, base});
    tileReduction(rewriter, tileReduction(rewriter, contract, stage), base);
  }
  group.setSteps(steps);
  return success();
}

struct TileBasePass : impl::TileBaseBase<TileBasePass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = aicore::machineOf(getOperation());
    const Backend &backend = backendOf(machine ? machine.getMachineKind() : MachineKind::emulated);
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      if (failed(checkDims(kernel)))
        return signalPassFailure();
      for (ir::FusionGroupOp group : kernel.getBody().getOps<ir::FusionGroupOp>())
        if (failed(tileProducts(kernel, group, backend, machine)))
          return signalPassFailure();
      for (linalg::ContractOp contract : kernel.getBody().getOps<linalg::ContractOp>()) {
        contract.emitOpError("is not mapped to cores; run mmk-tile-cores first");
        return signalPassFailure();
      }
    }
    foldSizes(getOperation());
  }
};

} // namespace
} // namespace mmk
