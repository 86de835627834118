// Random convolutions: windows as operands of products, with a bias, a residual and an activation.
#pragma once

#include "tests/hunt/sample.h"

namespace mmk::hunt {

/// As drawKernel. Sums of small integers are exact.
void drawConvolution(Random &random, Sample &sample);

} // namespace mmk::hunt
