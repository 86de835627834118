// The subspace that earlier searches decided: its points are not evaluated again.
#pragma once

#include "tune/evaluator.h"
#include "tune/subspace.h"

namespace mmk::tune {

struct DecidedSubspace {
  Subspace space;
  /// Of the subspace, as in Decision; none of the refused and the bounded is as good as the best of
  /// the measured.
  int64_t points = 0, refused = 0, bounded = 0;
  std::vector<Point> measured;
};

/// The largest decided subspace. A decision is valid as long as all measures that it is based on
/// are known, and its winners are not known to be wrong.
std::optional<DecidedSubspace> recallDecided(const Space &space, Evaluator &evaluator,
                                             const Known &known);

/// The decision to be remembered when all of the space is decided.
Decision decisionOf(const Space &space, Evaluator &evaluator, const Known &known,
                    const DecidedSubspace &decided);

} // namespace mmk::tune
