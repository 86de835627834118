// The innermost loop of the reference's product: one tile of the result in registers, accumulating
// in double.
#pragma once

#include <cstdint>
#include <vector>

namespace mmk {

/// c[i * stride + j] += sum over k of a[k * rows + i] * b[k * columns + j]. The sum runs in the
/// order of k on every host, and a product of two narrow floats is exact in double, so that the
/// result does not depend on which kernel ran.
struct DoubleMicroKernel {
  int64_t rows, columns; ///< of the tile
  void (*run)(int64_t depth, const double *a, const double *b, double *c, int64_t stride);
};

/// All that this CPU can run, the fastest first.
const std::vector<DoubleMicroKernel> &microKernels();

} // namespace mmk
