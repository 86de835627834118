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

} // namespace

// The largest tiles need some number of rounds over the cores, and the last round is rarely full.
// As many more rows of tiles as it has room for cost no more rounds, and each tile is lower. So for
// each width, from the largest on by halves, the height follows, and the time with it: a round
// brings the rows of A and the columns of B of one tile. The least wins; of two, the narrower,
// which has more tiles to deal.
std::pair<Value, Value> fitTile(OpBuilder &b, Location loc, FittedOutput output, FittedTile tile) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto mul = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  auto ceilDiv = [&](Value x, Value y) -> Value {
    return arith::CeilDivSIOp::create(b, loc, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  Value rows = number(tile.largestRows), columns = number(tile.largestColumns);
  if (!tile.fitsRows && !tile.fitsColumns)
    return {rows, columns};

  const Value cores = number(output.cores), down = ceilDiv(output.rows, rows);
  Value least;
  int64_t width = tile.largestColumns;
  do {
    Value across = mul(output.batches, ceilDiv(output.columns, number(width)));
    Value rounds = ceilDiv(mul(across, down), cores);
    Value height = number(tile.largestRows);
    if (tile.fitsRows) {
      Value most = arith::DivSIOp::create(b, loc, mul(rounds, cores), across);
      height = mul(ceilDiv(ceilDiv(output.rows, most), number(fractal)), number(fractal));
    }
    Value read = arith::MaxSIOp::create(
        b, loc, arith::MinSIOp::create(b, loc, output.columns, number(width)), number(narrow));
    Value time = mul(rounds, arith::AddIOp::create(b, loc, height, read));
    if (!least) {
      std::tie(least, rows) = std::pair(time, height);
    } else {
      Value isBetter = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, time, least);
      least = choose(isBetter, time, least);
      rows = choose(isBetter, height, rows);
      columns = choose(isBetter, number(width), columns);
    }
    width /= 2;
  } while (tile.fitsColumns && width >= narrowest);
  return {rows, columns};
}

} // namespace mmk
