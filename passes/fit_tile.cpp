#include "passes/fit_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {
namespace {

/// Rows of a fractal.
constexpr int64_t fractal = 16;
/// A transfer takes as long for a narrower row of B as for one of this many elements, and one of
/// fewer than `narrowest` is a piece of the smallest packet.
constexpr int64_t narrow = 128, narrowest = 64;
/// Cores that read one line of global memory are served one after the other. Each then takes this
/// much of the time that a core alone takes, in tenths (docs/calibration.md: 110 bytes a cycle of a
/// core alone, 375 of a line), so that up to three share a line for nothing.
constexpr int64_t alone = 10, sharing = 3;

} // namespace

// The largest tiles need some number of rounds over the cores, and the last round is rarely full.
// As many more rows of tiles as it has room for cost no more rounds, and each tile is lower; but
// more cores then share the lines of B. So for each width, from the largest on by halves, both
// heights are tried. A round brings the rows of A and the columns of B of one tile, and takes the
// longer, the more cores read them at once. The least time wins; of two, the narrower and lower,
// which has more tiles to deal.
std::pair<Value, Value> fitTile(OpBuilder &b, Location loc, FittedOutput output, FittedTile tile) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto mul = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  auto max = [&](Value x, Value y) -> Value { return arith::MaxSIOp::create(b, loc, x, y); };
  auto min = [&](Value x, Value y) -> Value { return arith::MinSIOp::create(b, loc, x, y); };
  auto ceilDiv = [&](Value x, Value y) -> Value {
    return arith::CeilDivSIOp::create(b, loc, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  Value rows = number(tile.largestRows), columns = number(tile.largestColumns);
  if (!tile.fitsRows && !tile.fitsColumns)
    return {rows, columns};

  const Value cores = number(output.cores), highest = number(tile.largestRows);
  Value least;
  auto tryTile = [&](Value height, int64_t width) {
    Value across = ceilDiv(output.columns, number(width)), down = ceilDiv(output.rows, height);
    Value rounds = ceilDiv(mul(output.batches, mul(across, down)), cores);
    // Of a round, walked row by row.
    Value readers = min(across, cores);
    Value sharersOfB = min(down, ceilDiv(cores, across));
    Value read = min(output.columns, number(width));
    Value ofA = mul(min(output.rows, height), max(number(alone), mul(number(sharing), readers)));
    Value ofB = max(mul(read, mul(number(sharing), sharersOfB)),
                    mul(max(read, number(narrow)), number(alone)));
    Value time = mul(rounds, arith::AddIOp::create(b, loc, ofA, ofB));
    if (!least) {
      least = time;
      return;
    }
    Value isBetter = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, time, least);
    least = choose(isBetter, time, least);
    rows = choose(isBetter, height, rows);
    columns = choose(isBetter, number(width), columns);
  };
  int64_t width = tile.largestColumns;
  do {
    tryTile(highest, width);
    if (tile.fitsRows) {
      Value across = mul(output.batches, ceilDiv(output.columns, number(width)));
      Value rounds = ceilDiv(mul(across, ceilDiv(output.rows, highest)), cores);
      Value most = arith::DivSIOp::create(b, loc, mul(rounds, cores), across);
      tryTile(mul(ceilDiv(ceilDiv(output.rows, most), number(fractal)), number(fractal)), width);
    }
    width /= 2;
  } while (tile.fitsColumns && width >= narrowest);
  return {rows, columns};
}

} // namespace mmk
