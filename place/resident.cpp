// The part of aicore-insert-transfers for data that is on the chip before a tile's first stage: the
// panel of an operand that several tiles share (`keep`), and the row that its product starts from
// (`bias`).
#include "passes/conditions/product_depth.h"
#include "place/insert_transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

// The whole panel in one transfer: it is the most efficient, and stages of their own would need too
// many flags.
void TransferInserter::emitPanel(Tile &tile, Product &product) {
  const unsigned which = *product.kept;
  auto inL1 = product.operands[which].inL1.getDefiningOp<aicore::PlaceOp>();
  Value panel = inL1.getValue();
  loc = product.contract.getLoc();
  GlobalView view = matrixOf(panel);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  const unsigned rank = cast<RankedTensorType>(panel.getType()).getRank();
  Value rows = extentOf(panel, rank - 2), columns = extentOf(panel, rank - 1);
  product.panelSlot = slot(map.lookup(tile.panelLoop.getInductionVar()), product.l1[which]);
  auto load =
      aicore::LoadOp::create(b, loc, view.memref, view.offsets,
                             ArrayRef<int64_t>{view.dims[rank - 2], view.dims[rank - 1]}, rows,
                             columns, product.l1[which], product.panelSlot, machine.padding());
  if (boundedOperand(product.contract) == which)
    load.setClipped(true);
}

// The row of a tile is loaded like any operand, GM -> L1 -> bias table.
void TransferInserter::emitBias(Tile &tile, Product &product) {
  loc = product.bias.getLoc();
  auto inTable = product.bias.getInput().getDefiningOp<aicore::PlaceOp>();
  auto inL1 = inTable.getValue().getDefiningOp<aicore::PlaceOp>();
  Value biasInL1 = bufferOf(inL1);
  if (product.hasBias)
    for (Operation &op : *product.bias->getBlock())
      clonePure(op);
  loc = product.bias.getLoc();
  GlobalView view = viewOf(inL1.getValue());
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  Value one = index(1), zero = index(0);
  auto bring = [&] {
    Value l1Slot = slot(tile.number, biasInL1);
    aicore::LoadOp::create(b, loc, view.memref, view.offsets,
                           ArrayRef<int64_t>{-1, view.dims.back()}, one, tile.columns, biasInL1,
                           l1Slot, 1);
    product.biasSlot = slot(tile.number, product.biasTable);
    aicore::LoadL0Op::create(b, loc, biasInL1, l1Slot, zero, zero, one, tile.columns,
                             product.biasTable, product.biasSlot, /*transposed=*/false);
  };
  if (product.hasBias)
    when(mapped(product.hasBias), bring);
  else
    bring();
}

Value TransferInserter::startsFromBias(Tile &tile, Product &product) {
  if (!product.hasBias)
    return product.isFirst;
  // Not the slot of the branch above: flags are placed at their slot.
  product.biasSlot = slot(tile.number, product.biasTable);
  Value hasBias = mapped(product.hasBias);
  return arith::SelectOp::create(b, loc, hasBias, product.isFirst, hasBias);
}

} // namespace mmk
