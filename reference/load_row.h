// Reads elements at equal distances as numbers.
#pragma once

#include "reference/view.h"

namespace mmk {

/// `count` elements of `view` from `offset` on, `stride` apart (both in elements), as doubles.
void loadRow(const TensorView &view, int64_t offset, int64_t stride, double *row, int64_t count);

} // namespace mmk
