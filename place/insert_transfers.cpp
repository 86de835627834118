#include "place/insert_transfers.h"
#include "ir/diagnostic_code.h"
#include "passes/row_space.h"
#include "passes/variant.h"
#include "place/chain_rows.h"
#include "place/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_INSERTTRANSFERS
#include "place/Passes.h.inc"

Value TransferInserter::slot(Value number, Value buffer) {
  return aicore::SlotOp::create(b, loc, b.getIndexType(), number, buffer);
}

// A kernel that keeps panels is limited to their depth; with a split reduction the limit holds for
// each split.
void TransferInserter::limitPanels(NamedAttrList &limits) {
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  if (!panel)
    return;
  kernel.walk([&](linalg::ContractOp contract) {
    StringRef k = productNames(contract).reduction;
    int64_t literal;
    if (!k.getAsInteger(10, literal))
      return;
    const int64_t parts = kernel.chosenNumber(("grid." + k).str(), 1);
    const int64_t tile = kernel.chosenNumber(("tile." + k).str(), 1),
                  stage = kernel.chosenNumber(("stage." + k).str(), tile);
    // Splits are whole stages, or when they are shorter than one, whole tiles.
    const int64_t unit = parts == 1 ? 1 : panel->depth < stage ? tile : stage;
    // A depth that fits a single panel fits with splits, too.
    const int64_t deepest = std::max(panel->depth, parts * (panel->depth / unit * unit));
    limits.set(k, b.getI64IntegerAttr(deepest));
  });
}

// A literal length is known to be too long before the kernel is run.
LogicalResult TransferInserter::refuseLongRow(ir::FusionGroupOp group, StringRef dim,
                                              int64_t length, int64_t longest, bool ofProduct) {
  const std::string key = ("tile." + dim).str();
  ir::ChoiceOp choice = kernel.choice(key);
  InFlightDiagnostic error = choice ? choice.emitError() : mlir::emitError(group.getLoc());
  error << key << " = " << longest << " is shorter than the row of " << length << " that "
        << (ofProduct ? "fuse = rows reduces on the tile of its product"
                      : "reduce = whole keeps on the chip")
        << "; nearest legal: " << key << " = " << length << ", "
        << (ofProduct ? "fuse = all" : "reduce = two_pass");
  return nearestLegal(std::move(error));
}

// Rows that are kept whole, and those of a product's tile, are limited to the length of their tile.
LogicalResult TransferInserter::limitRows(NamedAttrList &limits) {
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
    if (!group.getSpaceAttr())
      continue;
    int64_t products = 0;
    group.walk([&](linalg::ContractOp) { ++products; });
    const bool hasProduct = products > 0;
    if (products > 1)
      continue; // of any length: see limitChains
    if (!hasProduct && rowFormOf(kernel, RowSpace(group)) != RowForm::whole)
      continue;
    const RowSpace space(group);
    const TilePlane plane = planeOf(space);
    const StringRef dim = space.names[space.reduced()[0]];
    int64_t literal, longest = (*group.getTile())[plane.reducesColumns ? 1 : 0];
    if (auto known = dyn_cast_or_null<IntegerAttr>(limits.get(dim)))
      longest = std::min(longest, known.getInt());
    if (dim.getAsInteger(10, literal))
      limits.set(dim, b.getI64IntegerAttr(longest));
    else if (literal > longest)
      return refuseLongRow(group, dim, literal, longest, hasProduct);
  }
  return success();
}

FailureOr<DictionaryAttr> TransferInserter::limits() {
  NamedAttrList limits;
  limitUnits(limits);
  limitPanels(limits);
  if (failed(limitRows(limits)) || failed(limitChains(limits)))
    return failure();
  return limits.empty() ? DictionaryAttr() : limits.getDictionary(b.getContext());
}

// The buffers that hold its values.
LogicalResult TransferInserter::findBuffers(ir::FusionGroupOp group, Tile &tile) {
  auto placed = [](Value value) { return value.getDefiningOp<aicore::PlaceOp>(); };
  if (tile.products.empty()) {
    if (group.getBody().front().getOps<aicore::AllocOp>().empty())
      return group.emitOpError("has no buffers; run aicore-assign-memories first");
    return success();
  }
  for (TiledProduct &found : tile.products) {
    Product product(found);
    aicore::PlaceOp acc = placed(product.stageLoop.getInitArgs()[0]);
    for (unsigned which = 0; which < 2; ++which) {
      aicore::PlaceOp inL1 = placed(product.operands[which].inL1),
                      inL0 = placed(product.contract.getInputs()[which]);
      if (!acc || !inL1 || !inL0)
        return product.contract.emitOpError(
            "has operands without buffers; run aicore-assign-memories first");
      product.l1[which] = bufferOf(inL1);
      product.l0[which] = bufferOf(inL0);
    }
    if ((product.image = imageOperand(product.contract))) {
      const Type element = operandType(product.contract);
      product.channels = *directChannels(kernel, element);
      product.block = channelsOfBlock(element);
      if (tile.anchors.empty() || !tile.sharedLines)
        images.push_back(limitOf(tile, product));
    }
    product.acc = bufferOf(acc).getDefiningOp<aicore::AllocOp>();
    if (product.bias)
      product.biasTable = bufferOf(placed(product.bias.getInput()));
    tile.anchors.push_back(product);
  }
  tile.parts = tile.anchors[0].acc.getParts();
  return success();
}

LogicalResult TransferInserter::startTiles(ir::FusionGroupOp group, Tile &tile) {
  startPhase(group);
  for (auto buffer : group.getBody().front().getOps<aicore::AllocOp>())
    b.clone(*buffer, map);
  return findBuffers(group, tile);
}

void TransferInserter::emitTileLoop(Tile &tile) {
  if (tile.panelLoop) {
    emitLoop(tile.panelLoop);
    emitPanel(tile, tile.anchors[0]);
  }
  // Copies are counted from 0 in each line: the last tile of one and the first of the next may use
  // the same copy, and the second then waits.
  tile.number = emitLoop(tile.tileLoop).getInductionVar();
}

LogicalResult TransferInserter::emitGroup(ir::FusionGroupOp group) {
  if (chainOf(group))
    return emitChain(group);
  FailureOr<TiledGroup> found = findTiledGroup(kernel, group);
  if (failed(found))
    return failure();
  Tile tile;
  static_cast<TiledGroup &>(tile) = *found;
  if (group.getSpaceAttr())
    return emitRows(group, tile);
  if (failed(startTiles(group, tile)))
    return failure();
  emitScalars(group);
  emitTileLoop(tile);
  const SmallVector<Destination> destinations =
      findDestinations(group, tile, tile.rows, tile.columns);
  if (!tile.anchors.empty())
    emitProducts(tile);
  emitEpilogue(tile, destinations);
  return success();
}

namespace {

struct InsertTransfersPass : impl::InsertTransfersBase<InsertTransfersPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<ir::KernelOp>()))
      if (failed(TransferInserter(kernel, machine).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace mmk
