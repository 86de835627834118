// What earlier searches decided of a space, taken up again: of its points nothing is asked any
// more.
#pragma once

#include "tune/evaluator.h"
#include "tune/shared_part.h"

namespace mmk::tune {

struct DecidedPart {
  SharedPart part;
  /// Of the part, as in Decision; none of the refused and the bounded is as good as the best of the
  /// measured.
  int64_t points = 0, refused = 0, bounded = 0;
  std::vector<Point> measured;
};

/// The largest part of the space that is decided. A decision holds as long as everything that it
/// rests on is known, and its winners are not known to be wrong.
std::optional<DecidedPart> recallDecided(const Space &space, Evaluator &evaluator,
                                         const Known &known);

/// The decision to be remembered when all of the space is decided.
Decision decisionOf(const Space &space, Evaluator &evaluator, const Known &known,
                    const DecidedPart &decided);

} // namespace mmk::tune
