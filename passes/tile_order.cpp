#include "passes/tile_order.h"

#include "passes/arithmetic.h"
#include "passes/sizes/tile_order.h"

using namespace mlir;

namespace mmk {

/// Of tile_count and tile_coords.
template <typename Op> static TileOrder<Arithmetic> orderOf(OpBuilder &b, Op op) {
  return {Arithmetic{b, op.getLoc()}, op.getBatches(), op.getRows(), op.getColumns(),
          op.getMapping()};
}

Value expandTileCount(OpBuilder &b, ir::TileCountOp count) {
  return orderOf(b, count).count(count.getBlock());
}

std::array<Value, 3> expandTileCoords(OpBuilder &b, ir::TileCoordsOp coords) {
  return orderOf(b, coords).coords(coords.getIndex(), coords.getBlock());
}

} // namespace mmk
