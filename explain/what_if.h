// The gain of small changes of a variant, found by counting each of them.
#pragma once

#include "compiler/compiler.h"
#include "runtime/clock.h"

#include <functional>
#include <optional>

namespace mmk::tune {

/// One change: a few choices beyond those of the variant.
struct WhatIf {
  Choices choices;
  bool exists = true;
  std::string reason; ///< why it is not legal, in one line
  int64_t cycles = 0; ///< of the kernel with it
};

struct WhatIfs {
  std::vector<WhatIf> alone; ///< the fastest first, those that are not legal last
  /// The best of them together, when that is faster than each alone.
  std::optional<WhatIf> together;
};

/// Candidate changes, legal or not, of the choices of `variant`: the alternatives that the schedule
/// lists, and beside the variant's own one more copy at each level, tiles and stages of half and of
/// twice the length, tiles of the same area in another shape, stages traded for copies, every
/// order, more and fewer cores, grids of the same number of cores, splits of a reduction, the other
/// words of directives.
std::vector<Choices> neighboursOf(const Kernel &kernel, const Machine &machine,
                                  const Choices &variant);

/// How trials are compiled and counted. Either may throw.
struct TrialWays {
  std::function<Lowering(const Choices &)> lower; ///< with these choices, beyond the others
  std::function<ClockReport(Lowering &)> count;
  std::function<void(const Choices &)> watch; ///< called before each; may be null
  /// Why the shape is too large for it; empty when it is not. May be null.
  std::function<std::string(Lowering &)> limit;
};

/// Tries changes of `variant`, which takes `cycles`, and puts the best together.
WhatIfs tryChanges(const std::vector<Choices> &changes, const std::string &variant, int64_t cycles,
                   const TrialWays &ways);

} // namespace mmk::tune
