#include "reference/micro_kernel.h"

#include <cstring>

namespace mmk {
namespace {

/// `rows` x (`vectors` * `lanes`) accumulators; a shape is good when they, a row of b and one
/// element of a fill the registers without spilling.
template <int rows, int vectors, int lanes>
[[gnu::always_inline]] inline void multiplyTile(int64_t depth, const double *a, const double *b,
                                                double *c, int64_t stride) {
// Products of two elements are exact in double, so that a fused multiply-add changes nothing.
#pragma clang fp contract(fast)
  using Vector = double __attribute__((ext_vector_type(lanes)));
  Vector sums[rows][vectors];
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; ++i)
    memcpy(sums[i], c + i * stride, sizeof sums[i]);
  for (int64_t k = 0; k < depth; ++k, a += rows, b += vectors * lanes) {
    Vector row[vectors];
    memcpy(row, b, sizeof row);
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i)
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j)
        sums[i][j] += a[i] * row[j];
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; ++i)
    memcpy(c + i * stride, sums[i], sizeof sums[i]);
}

void multiplyPortably(int64_t depth, const double *a, const double *b, double *c, int64_t stride) {
  multiplyTile<4, 2, 2>(depth, a, b, c, stride);
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void multiplyAvx512(int64_t depth, const double *a, const double *b,
                                               double *c, int64_t stride) {
  multiplyTile<8, 3, 8>(depth, a, b, c, stride);
}

[[gnu::target("avx2,fma")]] void multiplyAvx2(int64_t depth, const double *a, const double *b,
                                              double *c, int64_t stride) {
  multiplyTile<4, 3, 4>(depth, a, b, c, stride);
}
#endif

} // namespace

const std::vector<DoubleMicroKernel> &microKernels() {
  static const std::vector<DoubleMicroKernel> kernels = [] {
    std::vector<DoubleMicroKernel> all;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
      all.push_back({8, 24, multiplyAvx512});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      all.push_back({4, 12, multiplyAvx2});
#endif
    all.push_back({4, 4, multiplyPortably});
    return all;
  }();
  return kernels;
}

} // namespace mmk
