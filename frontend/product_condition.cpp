#include "frontend/product_condition.h"

namespace mmk {

bool standsWithBoth(const Value &product) {
  const size_t side = product.along[0];
  const Shape &guard = product.operands[2]->shape, &other = product.operands[1 - side]->shape;
  // From the end: the depth and the rows of the left, the columns and the depth of the right.
  for (size_t fromEnd = 1; fromEnd <= guard.size(); ++fromEnd) {
    const Dimension &own = guard[guard.size() - fromEnd];
    const bool isDepth = fromEnd == 1 + side;
    if (own == Dimension{"", 1} || isDepth)
      continue;
    const bool isBatch = fromEnd > 2;
    if (!isBatch || fromEnd > other.size() || other[other.size() - fromEnd] != own)
      return false;
  }
  return true;
}

} // namespace mmk
