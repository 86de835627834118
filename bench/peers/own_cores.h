// The CPUs of a virtual machine may be two threads of one core for minutes at a time: then two
// threads together are as fast as one.
#pragma once

#include "bench/peers/rows.h"

namespace mmk::peers {

/// Whether this many threads run as fast together as each alone, within a tenth.
bool haveOwnCores(unsigned threads);

/// Measures rows while each of their threads has a core, checked before and after. It waits for
/// that, and measures again when it was lost, for `patience` seconds of all rows together; later
/// rows are accepted and marked (Row::sharesCore).
class OnOwnCores {
public:
  explicit OnOwnCores(double patience) : patience_(patience) {}
  Row measure(const RowToMeasure &row, double seconds);

private:
  bool wait(unsigned threads);
  double patience_; ///< seconds that are left
};

} // namespace mmk::peers
