#include "passes/fit_tile.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_TILEBASE
#include "passes/Passes.h.inc"

namespace {

// Tiles the reduction of a product by `size`, and marks the loop with the level that it stands for.
FailureOr<linalg::ContractOp> tileReduction(IRRewriter &rewriter, linalg::ContractOp contract,
                                            int64_t size, StringRef level) {
  SmallVector<OpFoldResult> sizes(contract.getNumLoops(), rewriter.getIndexAttr(0));
  sizes.back() = rewriter.getIndexAttr(size);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  rewriter.setInsertionPoint(contract);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, cast<TilingInterface>(contract.getOperation()), options);
  if (failed(tiled))
    return contract.emitError("the reduction of this product cannot be tiled");
  tiled->loops.front()->setAttr("mmk.level", rewriter.getStringAttr(level));
  rewriter.replaceOp(contract, tiled->replacements);
  return cast<linalg::ContractOp>(tiled->tiledOps.front());
}

// Folds the size arithmetic that tiling leaves behind. Not the canonicaliser: it would also take
// away linalg ops that only copy or fill, and with them the tile that place is to find.
void foldSizes(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, module.getContext());
  affine::AffineMinOp::getCanonicalizationPatterns(patterns, module.getContext());
  tensor::DimOp::getCanonicalizationPatterns(patterns, module.getContext());
  (void)applyPatternsGreedily(module, std::move(patterns));
}

struct TileBasePass : impl::TileBaseBase<TileBasePass> {
  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      aicore::MachineAttr machine = aicore::machineOf(getOperation());
      const bool onHost = machine && machine.getTopology() == aicore::Topology::host;
      SmallVector<linalg::ContractOp> contracts;
      kernel.walk([&](linalg::ContractOp contract) { contracts.push_back(contract); });
      IRRewriter rewriter(&getContext());
      if (failed(checkDims(kernel)))
        return signalPassFailure();
      for (linalg::ContractOp contract : contracts) {
        auto level = contract->getParentOp()->getAttrOfType<StringAttr>("mmk.level");
        if (!level || level.getValue() != "tile") {
          contract.emitOpError(level ? "is tiled already"
                                     : "is not dealt to cores; run mmk-tile-cores first");
          return signalPassFailure();
        }
        SmallVector<StringRef> names = dimNames(contract);
        StringRef k = names.back();
        // A literal depth has no directive; it takes the default of rows of 128 bytes.
        int64_t rows = onHost ? hostDepth : 128 * 8 / operandType(contract).getIntOrFloatBitWidth();
        int64_t base = kernel.chosenNumber(("tile." + k).str(), rows);
        int64_t stage = kernel.chosenNumber(("stage." + k).str(), base);
        FailureOr<linalg::ContractOp> staged = tileReduction(rewriter, contract, stage, "stage");
        if (failed(staged))
          return signalPassFailure();
        auto loop = (*staged)->getParentOfType<scf::ForOp>();
        loop->setAttr("mmk.step", rewriter.getDenseI64ArrayAttr({stage, base}));
        if (failed(tileReduction(rewriter, *staged, base, "base")))
          return signalPassFailure();
      }
    }
    foldSizes(getOperation());
  }
};

} // namespace
} // namespace mmk
