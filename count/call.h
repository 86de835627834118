// What a kernel is called with, as far as its time depends on it.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace mmk {

/// What is known of a parameter of i32.
struct KnownParameter {
  const int32_t *elements = nullptr; ///< of a tensor, in row-major order
  std::optional<int32_t> scalar = {};
};

struct Call {
  llvm::ArrayRef<int64_t> dims; ///< of each of the kernel's dimensions, in order
  /// By parameter, or none. Conditions on what is not known exclude nothing.
  llvm::ArrayRef<KnownParameter> parameters;
};

/// The least and the greatest of `count` elements from number `start` on, `pitch` apart; `absent`
/// where there are none, or they are not known.
inline std::array<int64_t, 2> extremesOf(const int32_t *elements, int64_t start, int64_t pitch,
                                         int64_t count, std::array<int64_t, 2> absent) {
  if (!elements || count <= 0)
    return absent;
  std::array<int64_t, 2> extremes = {elements[start], elements[start]};
  for (int64_t i = 1; i < count; ++i) {
    const int64_t element = elements[start + i * pitch];
    extremes = {std::min(extremes[0], element), std::max(extremes[1], element)};
  }
  return extremes;
}

} // namespace mmk
