// Elementwise work on a CPU has a rule of its own: it is bound by memory, which is fastest in long
// streams.
#include "cpu/fit_tile.h"
#include "passes/arithmetic.h"

using namespace mlir;

namespace mmk::cpu {

// Many whole rows are long streams from memory. Tiles are lower where that balances the threads or
// fills the last wave; and narrower where there are fewer rows than threads.
std::pair<Value, Value> fitElementwiseTile(OpBuilder &b, Location loc, FittedOutput output,
                                           std::pair<Value, Value> largest,
                                           const CpuTuning &tuning) {
  Arithmetic a{b, loc};
  const Value one = a.number(1), cores = a.number(output.cores),
              small = a.number(tuning.sharedElements);
  Value sharersOfRow = a.ceilDiv(cores, a.max(a.mul(output.batches, output.rows), one));
  Value shareOfRow =
      a.mul(a.ceilDiv(a.ceilDiv(output.columns, sharersOfRow), a.number(tuning.pageElements)),
            a.number(tuning.pageElements));
  Value columns = a.min(largest.second, a.max(shareOfRow, small));
  Value width = a.max(a.min(output.columns, columns), one);
  Value rows = a.min(largest.first, a.ceilDiv(a.number(tuning.largestTileElements), width));
  Value beside = a.mul(output.batches, a.ceilDiv(output.columns, columns));
  Value share = a.ceilDiv(output.rows, a.ceilDiv(cores, a.max(beside, one)));
  Value equal = a.ceilDiv(share, a.max(a.ceilDiv(share, rows), one));
  return {a.min(rows, a.max(equal, a.ceilDiv(small, width))), columns};
}

} // namespace mmk::cpu
