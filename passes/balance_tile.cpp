// Why the host has a rule of its own: its threads share no lines that they would wait for, and cut
// their tiles for the caches themselves. What counts is that all have the same to do, and that
// little is packed twice.
#include "passes/fit_tile.h"

#include "ir/aicore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {
namespace {

/// Tiles end on whole register tiles, of any target.
constexpr int64_t rowUnit = 8, columnUnit = 16;
/// Multiply-adds of a row or column that pass in the time that one more column of B takes to be
/// packed, and one more row of A to be read.
constexpr int64_t packingColumn = 16, readingRow = 8;
/// Multiply-adds, times the bytes of an operand, that one thread does in the 2 to 4 us that it
/// takes to share them: half a microsecond until another thread has begun, where the two have no
/// cache in common, as much until it is seen to be done, and what both of them read and pack.
constexpr int64_t smallWork = int64_t(1) << 19;
/// The same in elements of elementwise work; and of those that a tile has, at most. Where a row is
/// shared, too, the parts begin on pages.
constexpr int64_t smallElements = int64_t(1) << 15, mostElements = int64_t(1) << 18,
                  pageElements = 4096;

} // namespace

// For each number of tiles across that divides the threads, as many down as give each thread one.
// The least time of the fullest thread wins.
std::pair<Value, Value> balanceTile(OpBuilder &b, Location loc, FittedOutput output, Value depth,
                                    int64_t bytes, FittedTile tile) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto mul = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  auto add = [&](Value x, int64_t y) -> Value {
    return arith::AddIOp::create(b, loc, x, number(y));
  };
  auto ceilDiv = [&](Value x, Value y) -> Value {
    return arith::CeilDivSIOp::create(b, loc, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  // One of `parts` equal parts, of whole units, and no larger than the largest tile.
  auto part = [&](Value extent, Value parts, int64_t unit, Value largest, bool fits) -> Value {
    if (!fits)
      return largest;
    Value least = ceilDiv(extent, largest);
    Value length = ceilDiv(extent, arith::MaxSIOp::create(b, loc, parts, least));
    Value whole = mul(ceilDiv(length, number(unit)), number(unit));
    return arith::MinSIOp::create(b, loc, whole, largest);
  };
  if (!tile.fitsRows && !tile.fitsColumns)
    return {number(tile.largestRows), number(tile.largestColumns)};

  Value cores = number(output.cores), highest = number(tile.largestRows),
        widest = number(tile.largestColumns);
  // Cut for two, a product that one thread has would be packed twice (a tenth of the time of
  // 127 x 129 x 131 in bf16 and i8).
  if (tile.isProduct && output.cores > 1)
    cores =
        arith::MinSIOp::create(b, loc, cores, aicore::ThreadsOp::create(b, loc, b.getIndexType()));
  if (tile.isProduct && tile.fitsColumns) {
    Value isFew = compare(arith::CmpIPredicate::sle, output.rows, number(hostFewRows));
    widest = choose(isFew, number(hostTileOfFewRows), widest);
  }
  Value work = mul(mul(output.batches, output.rows), mul(output.columns, depth));
  Value isSmall = compare(arith::CmpIPredicate::slt, work, number(smallWork / bytes));
  Value threads = choose(isSmall, number(1), cores);
  Value rows, columns, least;
  for (int64_t across = 1; across <= output.cores; ++across) {
    if (output.cores % across != 0)
      continue;
    Value down = ceilDiv(threads, mul(output.batches, number(across)));
    Value width = part(output.columns, arith::MinSIOp::create(b, loc, number(across), threads),
                       columnUnit, widest, tile.fitsColumns);
    Value height = part(output.rows, down, rowUnit, highest, tile.fitsRows);
    if (output.cores == 1)
      return {height, width};
    Value tiles =
        mul(output.batches, mul(ceilDiv(output.rows, height), ceilDiv(output.columns, width)));
    Value time =
        mul(ceilDiv(tiles, cores), mul(add(height, packingColumn), add(width, readingRow)));
    if (!least) {
      std::tie(rows, columns, least) = std::tuple(height, width, time);
      continue;
    }
    Value isBetter = compare(arith::CmpIPredicate::slt, time, least);
    rows = choose(isBetter, height, rows);
    columns = choose(isBetter, width, columns);
    least = choose(isBetter, time, least);
  }
  return {rows, columns};
}

// Whole rows, and many, are long streams from memory. Tiles are lower where that gives threads more
// to do, or the last round of them as much as the others; and narrower where there are fewer rows
// than threads.
std::pair<Value, Value> shareTile(OpBuilder &b, Location loc, FittedOutput output,
                                  std::pair<Value, Value> largest) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto mul = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  auto max = [&](Value x, Value y) -> Value { return arith::MaxSIOp::create(b, loc, x, y); };
  auto min = [&](Value x, Value y) -> Value { return arith::MinSIOp::create(b, loc, x, y); };
  auto ceilDiv = [&](Value x, Value y) -> Value {
    return arith::CeilDivSIOp::create(b, loc, x, y);
  };
  const Value one = number(1), cores = number(output.cores), small = number(smallElements);
  Value sharersOfRow = ceilDiv(cores, max(mul(output.batches, output.rows), one));
  Value shareOfRow = mul(ceilDiv(ceilDiv(output.columns, sharersOfRow), number(pageElements)),
                         number(pageElements));
  Value columns = min(largest.second, max(shareOfRow, small));
  Value width = max(min(output.columns, columns), one);
  Value rows = min(largest.first, ceilDiv(number(mostElements), width));
  Value beside = mul(output.batches, ceilDiv(output.columns, columns));
  Value share = ceilDiv(output.rows, ceilDiv(cores, max(beside, one)));
  Value equal = ceilDiv(share, max(ceilDiv(share, rows), one));
  return {min(rows, max(equal, ceilDiv(small, width))), columns};
}

} // namespace mmk
