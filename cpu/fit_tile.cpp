// The CPU has rules of its own for the tile that a schedule leaves to the shape: its threads do not
// contend for lines, and their code does its own cache blocking.
#include "cpu/fit_tile.h"

#include "cpu/dialect.h"
#include "passes/arithmetic.h"

using namespace mlir;

namespace mmk::cpu {

// The tile of a product balances the threads and avoids packing operands twice. For each number of
// tile columns that divides the threads, as many tile rows as give each thread
// one tile. The least time of the busiest thread wins.
std::pair<Value, Value> fitProductTile(OpBuilder &b, Location loc, FittedOutput output,
                                       const FittedTile &tile, const CpuTuning &tuning) {
  Arithmetic a{b, loc};
  // The length of `parts` equal parts, in whole units, and no larger than the largest tile.
  auto part = [&](Value extent, Value parts, int64_t unit, Value largest, bool fits) -> Value {
    if (!fits)
      return largest;
    Value least = a.ceilDiv(extent, largest);
    Value length = a.ceilDiv(extent, a.max(parts, least));
    Value whole = a.mul(a.ceilDiv(length, a.number(unit)), a.number(unit));
    return a.min(whole, largest);
  };
  if (!tile.fitsRows && !tile.fitsColumns)
    return {a.number(tile.largestRows), a.number(tile.largestColumns)};

  Value cores = a.number(output.cores), highest = a.number(tile.largestRows),
        widest = a.number(tile.largestColumns);
  // Split for two threads, a product that one thread computes would be packed twice (a tenth of the
  // time of 127 x 129 x 131 in bf16 and i8).
  if (tile.isProduct && output.cores > 1)
    cores = a.min(cores, ThreadsOp::create(b, loc, b.getIndexType()));
  if (tile.isProduct && tile.fitsColumns) {
    Value isSkinny = a.compare(arith::CmpIPredicate::sle, output.rows, a.number(tuning.skinnyRows));
    widest = a.choose(isSkinny, a.number(tuning.largestSkinnyColumns), widest);
  }
  Value work = a.mul(a.mul(output.batches, output.rows), a.mul(output.columns, tile.depth));
  Value isSmall =
      a.compare(arith::CmpIPredicate::slt, work, a.number(tuning.sharedWork / tile.bytes));
  Value threads = a.choose(isSmall, a.number(1), cores);
  Value rows, columns, least;
  for (int64_t across = 1; across <= output.cores; ++across) {
    if (output.cores % across != 0)
      continue;
    Value down = a.ceilDiv(threads, a.mul(output.batches, a.number(across)));
    Value width = part(output.columns, a.min(a.number(across), threads), tuning.columnUnit, widest,
                       tile.fitsColumns);
    Value height = part(output.rows, down, tuning.rowUnit, highest, tile.fitsRows);
    if (output.cores == 1)
      return {height, width};
    Value tiles = a.mul(output.batches,
                        a.mul(a.ceilDiv(output.rows, height), a.ceilDiv(output.columns, width)));
    Value time = a.mul(a.ceilDiv(tiles, cores), a.mul(a.add(height, a.number(tuning.packingColumn)),
                                                      a.add(width, a.number(tuning.readingRow))));
    if (!least) {
      std::tie(rows, columns, least) = std::tuple(height, width, time);
      continue;
    }
    Value isBetter = a.compare(arith::CmpIPredicate::slt, time, least);
    rows = a.choose(isBetter, height, rows);
    columns = a.choose(isBetter, width, columns);
    least = a.choose(isBetter, time, least);
  }
  return {rows, columns};
}

// Elementwise work is bound by memory, which is fastest in long streams. Many whole rows are long
// streams from memory. Tiles are lower where that balances the threads or fills the last wave; and
// narrower where there are fewer rows than threads.
std::pair<Value, Value> fitElementwiseTile(OpBuilder &b, Location loc, FittedOutput output,
                                           std::pair<Value, Value> largest,
                                           const CpuTuning &tuning) {
  Arithmetic a{b, loc};
  const Value one = a.number(1), cores = a.number(output.cores),
              small = a.number(tuning.sharedElements);
  Value sharersOfRow = a.ceilDiv(cores, a.max(a.mul(output.batches, output.rows), one));
  // Of a share that is longer than a tile, tiles of equal length.
  const Value shareOfRow = a.max(a.ceilDiv(output.columns, sharersOfRow), one),
              equalColumns = a.ceilDiv(shareOfRow, a.ceilDiv(shareOfRow, largest.second)),
              page = a.number(tuning.pageElements),
              wholePages = a.mul(a.ceilDiv(equalColumns, page), page);
  Value columns = a.min(largest.second, a.max(wholePages, small));
  Value width = a.max(a.min(output.columns, columns), one);
  Value rows = a.min(largest.first, a.ceilDiv(a.number(tuning.largestTileElements), width));
  Value beside = a.mul(output.batches, a.ceilDiv(output.columns, columns));
  Value share = a.ceilDiv(output.rows, a.ceilDiv(cores, a.max(beside, one)));
  Value equal = a.ceilDiv(share, a.max(a.ceilDiv(share, rows), one));
  return {a.min(rows, a.max(equal, a.ceilDiv(small, width))), columns};
}

// A tile of reductions is whole rows, or columns over all rows. Rows are read one after the other,
// so a tile may have few of them. Columns are read in pieces of rows, so a tile has all that its
// thread computes, in whole lines.
Value fitReduction(OpBuilder &b, Location loc, const FittedReduction &reduction, int64_t largest,
                   const CpuTuning &tuning) {
  Arithmetic a{b, loc};
  const Value one = a.number(1), length = a.max(reduction.reduced, one);
  // Half of the operations wait for what they read.
  const int64_t sharedElements = tuning.sharedElements / ((reduction.operations + 1) / 2);
  const Value small = a.ceilDiv(a.number(std::max<int64_t>(sharedElements, 1)), length);
  Value threads = one;
  if (reduction.cores > 1)
    threads = a.min(a.number(reduction.cores), ThreadsOp::create(b, loc, b.getIndexType()));
  const Value sharers = a.ceilDiv(threads, a.max(reduction.batches, one)),
              share = a.ceilDiv(reduction.kept, sharers);
  if (reduction.keepsColumns) {
    const Value unit = a.number(tuning.columnsOfShare);
    return a.min(a.number(largest), a.mul(a.ceilDiv(a.max(share, small), unit), unit));
  }
  const Value most = a.ceilDiv(a.number(tuning.largestTileElements), length),
              equal = a.ceilDiv(share, a.max(a.ceilDiv(share, most), one));
  return a.max(one, a.min(a.number(largest), a.max(equal, small)));
}

// Rows of windows are short, as those of an image: a tile has so many that beginning one takes no
// time.
Value fitBatches(OpBuilder &b, Location loc, const FittedReduction &reduction, Value tile,
                 const CpuTuning &tuning) {
  if (!reduction.readsWindows || reduction.keepsColumns)
    return {};
  Arithmetic a{b, loc};
  const Value one = a.number(1);
  Value work = a.max(a.mul(a.min(tile, reduction.kept), reduction.reduced), one);
  Value most = a.ceilDiv(a.number(tuning.largestTileElements), work);
  if (reduction.cores > 1) {
    Value threads = a.min(a.number(reduction.cores), ThreadsOp::create(b, loc, b.getIndexType()));
    most = a.min(most, a.ceilDiv(reduction.batches, threads));
  }
  return a.max(most, one);
}

// Each tile packs the operands of its columns, so it has many rows; fewer where threads would have
// nothing to do, or unequal shares.
Value fitChain(OpBuilder &b, Location loc, const FittedReduction &reduction, int64_t largest,
               const CpuTuning &tuning) {
  Arithmetic a{b, loc};
  const Value one = a.number(1), rows = a.max(reduction.kept, one),
              most = a.number(std::min<int64_t>(largest, CpuTuning::chainRows));
  Value parts = a.ceilDiv(rows, most);
  if (reduction.cores > 1) {
    Value threads = a.min(a.number(reduction.cores), ThreadsOp::create(b, loc, b.getIndexType()));
    Value batches = a.max(reduction.batches, one);
    Value wanted = a.ceilDiv(a.mul(threads, a.number(tuning.chainTilesOfThread)), batches);
    // As many as all threads need have few rows.
    Value needed = a.ceilDiv(threads, batches);
    Value useful = a.max(a.ceilDiv(rows, a.number(tuning.chainFewRows)), needed);
    parts = a.max(parts, a.min(wanted, useful));
    Value isOne = a.compare(arith::CmpIPredicate::eq, threads, one);
    parts = a.choose(isOne, a.ceilDiv(rows, most), parts);
  }
  const Value unit = a.number(tuning.columnUnit);
  return a.min(most, a.mul(a.ceilDiv(a.ceilDiv(rows, parts), unit), unit));
}

} // namespace mmk::cpu
