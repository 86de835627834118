// The mapping of tiles to cores, and their order. `A` is Arithmetic or Numbers.
#pragma once

#include "ir/mmk.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace mmk {

/// How tiles go to cores: ir::MappingAttr, which has the meaning of each part.
struct TileMapping {
  ir::Order order = ir::Order::rows;
  int64_t width = 1; ///< of swizzle
  int64_t cores = 1;
  int64_t gridM = 0, gridN = 0, gridK = 1; ///< 0 x 0: no grid

  TileMapping() = default;
  TileMapping(ir::MappingAttr from)
      : order(from.getOrder()), width(from.getWidth()), cores(from.getCores()),
        gridM(from.getGridM()), gridN(from.getGridN()), gridK(from.getGridK()) {}
  bool hasGrid() const { return gridM > 0; }
  /// Cores that have tiles.
  int64_t usedCores() const { return hasGrid() ? gridM * gridN * gridK : cores; }
};

/// A rectangle of tiles for each batch, and their way to the cores.
template <typename A> class TileOrder {
public:
  using Value = typename A::Value;
  TileOrder(A a, Value batches, Value rows, Value columns, const TileMapping &mapping)
      : a(a), all{a.number(0), a.number(0), a.number(0), batches, rows, columns}, mapping(mapping) {
  }

  /// Number of tiles of a core. Core 0 has no fewer than any other.
  Value count(Value block) {
    if (mapping.hasGrid()) {
      const Box own = ownBox(block);
      Value tiles = a.mul(own.batches, a.mul(own.rows, own.columns));
      return a.choose(a.isLess(block, a.number(mapping.usedCores())), tiles, a.number(0));
    }
    Value tiles = a.mul(all.batches, a.mul(all.rows, all.columns));
    Value rest = a.max(a.sub(tiles, block), a.number(0));
    return a.ceilDiv(rest, a.number(mapping.cores));
  }

  /// Batch, row and column of the tile `step` of a core.
  std::array<Value, 3> coords(Value step, Value block) {
    const Box own = mapping.hasGrid() ? ownBox(block) : all;
    if (!mapping.hasGrid())
      step = a.add(block, a.mul(step, a.number(mapping.cores)));
    Value area = a.mul(own.rows, own.columns);
    Value batch = a.div(step, area), i = a.rem(step, area);
    auto [row, column] = inRectangle(i, own.rows, own.columns);
    if (mapping.gridK > 1)
      batch = a.add(own.firstBatch, batch);
    return {batch, a.add(own.firstRow, row), a.add(own.firstColumn, column)};
  }

private:
  /// Of all the tiles, or of the share of one core of a grid.
  struct Box {
    Value firstBatch, firstRow, firstColumn, batches, rows, columns;
  };

  /// Core g of a grid gm x gn owns rows [gi * h, gi * h + h) with h = ceil(rows / gm), clipped at
  /// the end; cores beyond the grid own nothing.
  Box ownBox(Value block) {
    Box own = all;
    Value gm = a.number(mapping.gridM), gn = a.number(mapping.gridN);
    Value gk = block;
    if (mapping.gridK > 1) {
      Value area = a.number(mapping.gridM * mapping.gridN);
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
    std::tie(own.firstRow, own.rows) = part(all.rows, gm, gi);
    std::tie(own.firstColumn, own.columns) = part(all.columns, gn, gj);
    if (mapping.gridK > 1)
      std::tie(own.firstBatch, own.batches) = part(all.batches, a.number(mapping.gridK), gk);
    return own;
  }

  /// Row and column of step i through a rectangle.
  std::pair<Value, Value> inRectangle(Value i, Value rows, Value columns) {
    switch (mapping.order) {
    case ir::Order::rows:
      return {a.div(i, columns), a.rem(i, columns)};
    case ir::Order::columns:
      return {a.rem(i, rows), a.div(i, rows)};
    case ir::Order::zigzag: {
      Value row = a.div(i, columns), column = a.rem(i, columns);
      Value odd = a.rem(row, a.number(2));
      Value back = a.sub(a.sub(columns, a.number(1)), column);
      return {row, a.choose(a.isEqual(odd, a.number(1)), back, column)};
    }
    case ir::Order::swizzle: {
      // Bands of `width` rows of tiles, each column by column; the last band may be lower.
      Value width = a.number(mapping.width);
      Value perBand = a.mul(width, columns);
      Value band = a.div(i, perBand), inBand = a.rem(i, perBand);
      Value first = a.mul(band, width);
      Value height = a.min(a.sub(rows, first), width);
      return {a.add(first, a.rem(inBand, height)), a.div(inBand, height)};
    }
    }
    return {};
  }

  A a;
  Box all;
  TileMapping mapping;
};

/// Lines of tiles, of which each is computed with one panel in L1: rows of tiles for a panel of A,
/// columns for one of B. A grid divides each line into segments.
template <typename A> class TileLines {
public:
  using Value = typename A::Value;
  /// Where no panel is kept, each tile is a line.
  TileLines(A a, Value down, Value across)
      : rows(down), columns(across), length(a.number(1)), count(a.number(1)), a(a),
        first(a.number(0)) {}
  TileLines(A a, Value block, Value down, Value across, bool keepsB, const TileMapping &mapping)
      : a(a) {
    const int64_t segments = std::max<int64_t>(1, keepsB ? mapping.gridM : mapping.gridN);
    Value all = keepsB ? down : across, segment = a.number(0);
    length = a.ceilDiv(all, a.number(segments));
    if (segments > 1) {
      Value inGrid = a.rem(block, a.number(mapping.gridM * mapping.gridN));
      segment = keepsB ? a.div(inGrid, a.number(mapping.gridN)) : a.rem(inGrid, a.number(segments));
    }
    rows = keepsB ? a.number(segments) : down;
    columns = keepsB ? across : a.number(segments);
    first = a.mul(segment, length);
    count = a.max(a.min(a.sub(all, first), length), a.number(0));
  }

  /// The place of the tile `step` of the block's segment in its line. Lines start at different
  /// places, so that cores do not read the same panels at once.
  Value tileAt(Value step, Value line) { return a.add(first, a.rem(a.add(step, line), count)); }

  Value rows, columns; ///< of segments, which are mapped to cores like tiles
  Value length;        ///< tiles of a full segment
  Value count;         ///< tiles of the segment of the block

private:
  A a;
  Value first;
};

} // namespace mmk
