// A reduction in splits: their depth, and the tiles in which they are added. `A` is Arithmetic or
// Numbers.
#pragma once

#include <cstdint>
#include <utility>

namespace mmk {

template <typename A, typename Value = typename A::Value>
Value roundUp(A a, Value value, int64_t unit) {
  return a.mul(a.ceilDiv(value, a.number(unit)), a.number(unit));
}

/// The depth of a split is a whole number of stages, so that its transfers start where those of the
/// whole product would; one shorter than a stage is a whole number of base tiles.
template <typename A, typename Value = typename A::Value>
Value depthOfSplit(A a, Value depth, int64_t splits, int64_t base, int64_t stage) {
  Value share = a.ceilDiv(depth, a.number(splits));
  Value inTiles = roundUp(a, share, base), inStages = roundUp(a, share, stage);
  return a.choose(a.isLess(inTiles, a.number(stage)), inTiles, inStages);
}

/// A sum of splits is bound by memory: whole rows, and few of them for each vector core.
constexpr int64_t sumRowsOfCore = 8, mostSumColumns = 512;
/// Columns of f32 for which the start of a transfer takes about as long as the rest: 256 bytes at
/// some 30 bytes a cycle, behind 13 cycles (`gm_ub` of ascend910b3). Narrower tiles save nothing.
constexpr int64_t narrowestSum = 64;

/// Rows and columns of the tile of a block of `units` vector cores: lower tiles until all cores
/// have some, in whole rows for each vector core, then narrower ones.
template <typename A, typename Value = typename A::Value>
std::pair<Value, Value> sumTile(A a, Value batches, Value rows, Value columns, int64_t cores,
                                int64_t units) {
  const Value all = a.number(cores), one = a.number(1);
  const auto shareOf = [&](Value extent, Value parts, int64_t unit, int64_t largest) {
    Value share = a.ceilDiv(extent, a.max(one, parts));
    return a.min(a.number(largest), roundUp(a, share, unit));
  };
  Value across = a.ceilDiv(columns, a.number(mostSumColumns));
  Value height =
      shareOf(rows, a.ceilDiv(all, a.mul(batches, across)), units, sumRowsOfCore * units);
  Value down = a.ceilDiv(rows, height);
  // Parts of a row that leave no core with more than one tile.
  Value parts = a.max(across, a.div(all, a.mul(batches, down)));
  return {height, shareOf(columns, parts, narrowestSum, mostSumColumns)};
}

} // namespace mmk
