// The tile of reductions on a CPU: whole rows, or columns over all rows, of which each thread has a
// share.
#include "cpu/dialect.h"
#include "cpu/fit_tile.h"
#include "passes/arithmetic.h"

using namespace mlir;

namespace mmk::cpu {

// Rows are read one after the other, so a tile may have few of them. Columns are read in pieces of
// rows, so a tile has all that its thread computes, in whole lines.
Value fitReduction(OpBuilder &b, Location loc, const FittedReduction &reduction, int64_t largest,
                   const CpuTuning &tuning) {
  Arithmetic a{b, loc};
  const Value one = a.number(1), length = a.max(reduction.reduced, one);
  const Value small = a.ceilDiv(a.number(tuning.sharedElements), length);
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

} // namespace mmk::cpu
