// The rate of reading memory, which is compared with kernels that are bound by it. Compiled for
// this computer.
#pragma once

#include <cstddef>

namespace mmk {

/// The sum of what is read; four streams, which is the fastest way. The address is a multiple of
/// 64.
inline void readAll(const void *from, size_t bytes) {
  using Vector = float __attribute__((vector_size(64)));
  const auto *vectors = static_cast<const Vector *>(from);
  const size_t part = bytes / sizeof(Vector) / 4;
  Vector sums[4] = {};
  for (size_t i = 0; i < part; ++i)
    for (size_t stream = 0; stream < 4; ++stream)
      sums[stream] += vectors[stream * part + i];
  for (Vector &sum : sums)
    asm volatile("" : "+v"(sum));
}

} // namespace mmk
