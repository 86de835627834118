#include "aicore/fit_tile.h"

#include "passes/arithmetic.h"
#include "passes/sizes/split_sum.h"
#include "place/tiled_group.h"

using namespace mlir;

namespace mmk::aicore {
namespace {

/// Cores that read one line of global memory are served one after the other. Each then takes this
/// much of the time that a core alone takes, in tenths. Chosen for all machines, between the ratio
/// of `l2.line_cycles` to the cycles of a packet of ascend910b3 and that to those of a short row.
/// It only ranks tiles of kernels whose shape is not known; the clock has the exact figures.
constexpr int64_t alone = 10, sharing = 3;

} // namespace

// The tiles are computed in waves over the cores, and the last wave is rarely full. Tiles can be
// lower until the wave count would grow; but more cores then share the lines of B. So for each
// width, from the largest on by halves, both heights are tried. A wave reads the rows of A and the
// columns of B of one tile, and takes longer, the more cores read them at once. The least time
// wins; of equal ones the smaller tile, as more tiles distribute better.
std::pair<Value, Value> fitTile(OpBuilder &b, Location loc, MachineAttr machine,
                                FittedOutput output, const FittedTile &tile) {
  Arithmetic a{b, loc};
  if (tile.isSum)
    return sumTile(a, output.batches, output.rows, output.columns, output.cores,
                   vectorCoresOf(machine));
  // A transfer takes as long for a narrower row of B as for one of a packet of f32, and half of
  // that is the smallest packet.
  const int64_t narrow = machine.alignment(Space::gm) / 4, narrowest = narrow / 2,
                unitM = machine.getCubeM(), unitN = machine.getCubeN();
  Value rows = a.number(tile.largestRows), columns = a.number(tile.largestColumns);
  if (!tile.fitsRows && !tile.fitsColumns)
    return {rows, columns};

  const Value cores = a.number(output.cores), highest = a.number(tile.largestRows);
  Value least;
  auto tryTile = [&](Value height, int64_t width) {
    Value across = a.ceilDiv(output.columns, a.number(width)),
          down = a.ceilDiv(output.rows, height);
    Value rounds = a.ceilDiv(a.mul(output.batches, a.mul(across, down)), cores);
    // The rows and columns of a round, in row-major order.
    Value readers = a.min(across, cores);
    Value sharersOfB = a.min(down, a.ceilDiv(cores, across));
    Value read = a.min(output.columns, a.number(width));
    Value ofA = a.mul(a.min(output.rows, height),
                      a.max(a.number(alone), a.mul(a.number(sharing), readers)));
    Value ofB = a.max(a.mul(read, a.mul(a.number(sharing), sharersOfB)),
                      a.mul(a.max(read, a.number(narrow)), a.number(alone)));
    Value time = a.mul(rounds, a.add(ofA, ofB));
    if (!least) {
      least = time;
      return;
    }
    Value isBetter = a.compare(arith::CmpIPredicate::sle, time, least);
    least = a.choose(isBetter, time, least);
    rows = a.choose(isBetter, height, rows);
    columns = a.choose(isBetter, a.number(width), columns);
  };
  int64_t width = tile.largestColumns;
  do {
    tryTile(highest, width);
    if (tile.fitsRows) {
      Value across = a.mul(output.batches, a.ceilDiv(output.columns, a.number(width)));
      Value rounds = a.ceilDiv(a.mul(across, a.ceilDiv(output.rows, highest)), cores);
      Value most = a.div(a.mul(rounds, cores), across);
      tryTile(a.mul(a.ceilDiv(a.ceilDiv(output.rows, most), a.number(unitM)), a.number(unitM)),
              width);
    }
    width = width / 2 / unitN * unitN;
  } while (tile.fitsColumns && width >= std::max(narrowest, unitN));
  return {rows, columns};
}

Value fitReduction(OpBuilder &b, Location loc, const FittedReduction &reduction, int64_t largest) {
  Arithmetic a{b, loc};
  if (!reduction.isBesideProduct)
    return a.number(largest);
  // Columns come in pieces of memory.
  constexpr int64_t piece = 16;
  Value share = a.ceilDiv(a.mul(reduction.batches, reduction.kept), a.number(reduction.cores));
  if (reduction.keepsColumns)
    share = a.mul(a.ceilDiv(share, a.number(piece)), a.number(piece));
  return a.min(share, a.number(largest));
}

} // namespace mmk::aicore
