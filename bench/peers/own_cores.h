// The CPUs of a virtual machine may be two threads of one core, for minutes at a time: then two
// threads reach what one does, whatever they run.
#pragma once

#include "bench/peers/rows.h"

namespace mmk::peers {

/// Whether as many threads compute as fast together as each alone, but for a tenth.
bool haveOwnCores(unsigned threads);

/// Measures rows while their threads have a core each, before and after: waits for that, and
/// measures again where it was lost, for `patience` seconds of all rows together. What comes then
/// is taken, and marked (Row::sharesCore).
class OnOwnCores {
public:
  explicit OnOwnCores(double patience) : patience_(patience) {}
  Row measure(const RowToMeasure &row, double seconds);

private:
  bool wait(unsigned threads);
  double patience_; ///< seconds that are left
};

} // namespace mmk::peers
