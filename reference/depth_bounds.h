// Which terms of a product under a condition no schedule computes. A condition stands with one
// operand, of which an excluded element is never read. The other operand's is multiplied by 0 for
// the rows of a tile that exclude it, if others of them do not: 0 times infinity or NaN is NaN.
// docs/language.md says which it never is: those behind a bound.
#pragma once

#include "frontend/kernel.h"

namespace mmk {

/// The parts of a condition, all of which have to hold, that bound the depth of a product: each is
/// a comparison of sums of positions, dimensions, scalars and parameters of i32. What one of them
/// excludes from all rows is not multiplied.
struct DepthBound {
  const Value *value; ///< of a condition, or with a rule a position in whose shape that is judged
  const Rule *rule = nullptr;
};
std::vector<DepthBound> depthBounds(const Value &condition);

} // namespace mmk
