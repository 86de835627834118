// Why elementwise work on the host has a rule of its own: it is as quick as memory is read and
// written, and that is by long streams.
#include "passes/arithmetic.h"
#include "passes/fit_tile.h"

using namespace mlir;

namespace mmk {
namespace {

/// Elements that are done before another thread has begun, and those of a tile, at most. Where a
/// row is shared, too, the parts begin on pages.
constexpr int64_t smallElements = int64_t(1) << 15, mostElements = int64_t(1) << 18,
                  pageElements = 4096;

} // namespace

// Whole rows, and many, are long streams from memory. Tiles are lower where that gives threads more
// to do, or the last round of them as much as the others; and narrower where there are fewer rows
// than threads.
std::pair<Value, Value> shareTile(OpBuilder &b, Location loc, FittedOutput output,
                                  std::pair<Value, Value> largest) {
  Arithmetic a{b, loc};
  const Value one = a.number(1), cores = a.number(output.cores), small = a.number(smallElements);
  Value sharersOfRow = a.ceilDiv(cores, a.max(a.mul(output.batches, output.rows), one));
  Value shareOfRow =
      a.mul(a.ceilDiv(a.ceilDiv(output.columns, sharersOfRow), a.number(pageElements)),
            a.number(pageElements));
  Value columns = a.min(largest.second, a.max(shareOfRow, small));
  Value width = a.max(a.min(output.columns, columns), one);
  Value rows = a.min(largest.first, a.ceilDiv(a.number(mostElements), width));
  Value beside = a.mul(output.batches, a.ceilDiv(output.columns, columns));
  Value share = a.ceilDiv(output.rows, a.ceilDiv(cores, a.max(beside, one)));
  Value equal = a.ceilDiv(share, a.max(a.ceilDiv(share, rows), one));
  return {a.min(rows, a.max(equal, a.ceilDiv(small, width))), columns};
}

} // namespace mmk
