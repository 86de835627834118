// What a kernel would gain by small changes of its variant, found by counting each of them.
#pragma once

#include "driver/run_case.h"
#include "driver/session.h"
#include "driver/terminal.h"

namespace mmk::driver {

/// One change: a few choices beyond those of the command line.
struct WhatIf {
  Choices choices;
  bool exists = true;
  std::string reason; ///< why it does not, in one line
  int64_t cycles = 0; ///< of the kernel with it
};

struct WhatIfs {
  std::vector<WhatIf> alone; ///< the fastest first, those that do not exist last
  /// The best of them together, when that is faster than each alone.
  std::optional<WhatIf> together;
};

/// Tries the alternatives that the schedule lists, and beside the choices of `variant`, the one
/// at hand: one more copy at each level, tiles and stages of half and of twice the length, tiles
/// of the same area in another shape, stages traded for copies, every walk, more and fewer cores,
/// grids of the same number of cores, parts of a reduction, the other epilogue and the other store.
WhatIfs tryChanges(Session &session, const Kernel &kernel, const RunCase &run,
                   const std::string &variant, int64_t cycles, Progress &progress);

} // namespace mmk::driver
