// The part of aicore-place for what lies on the chip before a tile's first stage: the panel of an
// operand that several tiles share (`keep`), and the row that its product starts from (`bias`).
#include "place/passes.h"
#include "place/product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace mmk {

// The whole panel in one transfer: it has the most bytes in flight, and the flags of its stages
// would be more than there are.
void Placer::emitPanel(Tile &tile) {
  const Product product(tile);
  Value panel = product.operands[*tile.kept].panel;
  loc = tile.contract.getLoc();
  GlobalView view = viewOf(panel);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  const unsigned rank = cast<RankedTensorType>(panel.getType()).getRank();
  Value rows = extentOf(panel, rank - 2), columns = extentOf(panel, rank - 1);
  tile.panelSlot = slot(map.lookup(tile.panelLoop.getInductionVar()), tile.l1[*tile.kept]);
  aicore::LoadOp::create(b, loc, view.memref, view.offsets,
                         ArrayRef<int64_t>{view.dims[rank - 2], view.dims[rank - 1]}, rows, columns,
                         tile.l1[*tile.kept], tile.panelSlot, fractalExtent);
}

// A kernel that keeps panels runs with no deeper ones; one that splits its reduction has them for
// each part.
DictionaryAttr Placer::limits() {
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  if (!panel)
    return {};
  NamedAttrList limits;
  kernel.walk([&](linalg::ContractOp contract) {
    StringRef k = dimNames(contract).back();
    int64_t literal;
    if (!k.getAsInteger(10, literal))
      return;
    const int64_t parts = kernel.chosenNumber(("grid." + k).str(), 1);
    const int64_t tile = kernel.chosenNumber(("tile." + k).str(), 1),
                  stage = kernel.chosenNumber(("stage." + k).str(), tile);
    // Parts are whole stages, or when they are shorter than one, whole tiles.
    const int64_t unit = parts == 1 ? 1 : panel->depth < stage ? tile : stage;
    // What fits a single panel fits in parts, too.
    const int64_t deepest = std::max(panel->depth, parts * (panel->depth / unit * unit));
    limits.set(k, b.getI64IntegerAttr(deepest));
  });
  return limits.empty() ? DictionaryAttr() : limits.getDictionary(b.getContext());
}

void Placer::allocateBias(Tile &tile) {
  Value row = tile.bias.getInput();
  Type element = cast<RankedTensorType>(row.getType()).getElementType();
  Location where = placeOf("bias", tile.contract.getLoc());
  tile.biasInL1 = alloc(nameOf(row), "l1", aicore::Space::l1, 1, tile.tileN, element, where);
  tile.biasTable = alloc(nameOf(row), "bt", aicore::Space::bt, 1, tile.tileN, element, where);
}

// The row of a tile comes in like any operand, GM -> L1 -> bias table.
void Placer::emitBias(Tile &tile) {
  loc = tile.bias.getLoc();
  GlobalView view = viewOf(tile.bias.getInput());
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  Value one = index(1), zero = index(0);
  auto bring = [&] {
    Value inL1 = slot(tile.number, tile.biasInL1);
    aicore::LoadOp::create(b, loc, view.memref, view.offsets,
                           ArrayRef<int64_t>{-1, view.dims.back()}, one, tile.columns,
                           tile.biasInL1, inL1, 1);
    tile.biasSlot = slot(tile.number, tile.biasTable);
    aicore::StageOp::create(b, loc, tile.biasInL1, inL1, zero, zero, one, tile.columns,
                            tile.biasTable, tile.biasSlot, /*transposed=*/false);
  };
  if (tile.hasBias)
    when(mapped(tile.hasBias), bring);
  else
    bring();
}

Value Placer::startsFromBias(Tile &tile, const Product &product) {
  if (!tile.hasBias)
    return product.isFirst;
  // That of the branch above is its own: where a slot is taken says where its flags stand.
  tile.biasSlot = slot(tile.number, tile.biasTable);
  Value hasBias = mapped(tile.hasBias);
  return arith::SelectOp::create(b, loc, hasBias, product.isFirst, hasBias);
}

} // namespace mmk
