// Random kernels of two products with row algebra between them: attention in its forms, and what is
// like it.
#pragma once

#include "tests/hunt/sample.h"

namespace mmk::hunt {

/// As drawKernel. Exponentials and sums of fractions are not exact, so that the results are
/// compared as `mmk run` does it.
void drawAttention(Random &random, Sample &sample);

} // namespace mmk::hunt
