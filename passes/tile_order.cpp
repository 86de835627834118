#include "passes/tile_order.h"

#include "passes/arithmetic.h"

using namespace mlir;

namespace mmk {
namespace {

/// A box of tiles: of all the tiles, or of the share of one core of a grid.
struct Box {
  Value firstBatch, firstRow, firstColumn, batches, rows, columns;
};

// Core g of a grid gm x gn owns rows [gi * h, gi * h + h) with h = ceil(rows / gm), clipped at the
// end; cores beyond the grid own nothing.
Box ownBox(Arithmetic a, Value block, Value batches, Value rows, Value columns,
           ir::MappingAttr mapping) {
  Value gm = a.number(mapping.getGridM()), gn = a.number(mapping.getGridN());
  Value gk, firstBatch = a.number(0);
  if (mapping.getGridK() > 1) {
    Value area = a.number(mapping.getGridM() * mapping.getGridN());
    gk = a.div(block, area);
    block = a.rem(block, area);
  }
  Value gi = a.div(block, gn), gj = a.rem(block, gn);
  auto part = [&](Value extent, Value parts, Value which) {
    Value length = a.ceilDiv(extent, parts);
    Value first = a.min(a.mul(which, length), extent);
    Value rest = a.sub(extent, first);
    return std::pair(first, a.min(length, rest));
  };
  auto [firstRow, height] = part(rows, gm, gi);
  auto [firstColumn, width] = part(columns, gn, gj);
  if (gk)
    std::tie(firstBatch, batches) = part(batches, a.number(mapping.getGridK()), gk);
  return {firstBatch, firstRow, firstColumn, batches, height, width};
}

// Row and column of step i through a rectangle of rows x columns.
std::pair<Value, Value> tileInRectangle(Arithmetic a, Value i, Value rows, Value columns,
                                        ir::MappingAttr mapping) {
  switch (mapping.getOrder()) {
  case ir::Order::rows:
    return {a.div(i, columns), a.rem(i, columns)};
  case ir::Order::columns:
    return {a.rem(i, rows), a.div(i, rows)};
  case ir::Order::zigzag: {
    Value row = a.div(i, columns), column = a.rem(i, columns);
    Value odd = a.rem(row, a.number(2));
    Value back = a.sub(a.sub(columns, a.number(1)), column);
    Value isOdd = arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::eq, odd, a.number(1));
    return {row, arith::SelectOp::create(a.b, a.loc, isOdd, back, column)};
  }
  case ir::Order::swizzle: {
    // Bands of `width` rows of tiles, each column by column; the last band may be lower.
    Value width = a.number(mapping.getWidth());
    Value perBand = a.mul(width, columns);
    Value band = a.div(i, perBand), inBand = a.rem(i, perBand);
    Value first = a.mul(band, width);
    Value height = a.min(a.sub(rows, first), width);
    return {a.add(first, a.rem(inBand, height)), a.div(inBand, height)};
  }
  }
  return {};
}

} // namespace

Value expandTileCount(OpBuilder &b, ir::TileCountOp count) {
  Arithmetic a{b, count.getLoc()};
  ir::MappingAttr mapping = count.getMapping();
  if (mapping.getGridM() > 0) {
    Box own = ownBox(a, count.getBlock(), count.getBatches(), count.getRows(), count.getColumns(),
                     mapping);
    Value tiles = a.mul(own.batches, a.mul(own.rows, own.columns));
    Value inGrid = arith::CmpIOp::create(
        b, a.loc, arith::CmpIPredicate::slt, count.getBlock(),
        a.number(mapping.getGridM() * mapping.getGridN() * mapping.getGridK()));
    return arith::SelectOp::create(b, a.loc, inGrid, tiles, a.number(0));
  }
  Value tiles = a.mul(count.getBatches(), a.mul(count.getRows(), count.getColumns()));
  Value rest = a.max(a.sub(tiles, count.getBlock()), a.number(0));
  return a.ceilDiv(rest, a.number(mapping.getCores()));
}

std::array<Value, 3> expandTileCoords(OpBuilder &b, ir::TileCoordsOp coords) {
  Arithmetic a{b, coords.getLoc()};
  ir::MappingAttr mapping = coords.getMapping();
  Value zero = a.number(0);
  Box own{zero, zero, zero, coords.getBatches(), coords.getRows(), coords.getColumns()};
  Value step = coords.getIndex();
  if (mapping.getGridM() > 0)
    own = ownBox(a, coords.getBlock(), coords.getBatches(), coords.getRows(), coords.getColumns(),
                 mapping);
  else
    step = a.add(coords.getBlock(), a.mul(step, a.number(mapping.getCores())));
  Value area = a.mul(own.rows, own.columns);
  Value batch = a.div(step, area), i = a.rem(step, area);
  auto [row, column] = tileInRectangle(a, i, own.rows, own.columns, mapping);
  if (mapping.getGridK() > 1)
    batch = a.add(own.firstBatch, batch);
  return {batch, a.add(own.firstRow, row), a.add(own.firstColumn, column)};
}

} // namespace mmk
