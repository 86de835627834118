// Comparison of a result with the reference, by the rule of the language.
#pragma once

#include "runtime/tensor.h"

#include <cstdint>
#include <vector>

namespace mmk {

struct Comparison {
  int64_t elements = 0;
  int64_t wrong = 0;
  double errorRatio = 0; ///< wrong / elements; 0 of an empty tensor
  /// Over elements that are finite on both sides; relative where the reference is not 0.
  double maxAbs = 0, maxRel = 0;
  bool passed = true;

  /// The first wrong element in memory order, when `wrong` is above 0.
  std::vector<int64_t> firstWrong;
  double firstGot = 0, firstExpected = 0;
  double firstRounding = 0; ///< by which it may differ besides rtol and atol

  /// A sample of the elements, and those of it that rounding alone does not explain: see
  /// reference/check.h.
  int64_t sampled = 0, unexplained = 0;
  /// The first of those.
  std::vector<int64_t> firstUnexplained;
  double unexplainedGot = 0, unexplainedExpected = 0, unexplainedRounding = 0;

  double unexplainedRatio() const {
    return sampled == 0 ? 0 : static_cast<double>(unexplained) / static_cast<double>(sampled);
  }
};

struct Tolerance {
  double relative = 0, absolute = 0;
};

/// Elements that are compared at a time.
inline constexpr int64_t comparedAtOnce = 2048;

/// Whether an element is wrong by the rule of `compare`.
bool isWrong(double got, double reference, Tolerance tolerance);

/// The coordinates of an element.
std::vector<int64_t> coordinatesOf(int64_t index, const std::vector<int64_t> &shape);

/// An element is wrong when |x - ref| > atol + rtol * |ref|; NaN equals NaN, infinities must agree.
/// Passes when wrong / elements <= maxErrorRatio. Both tensors have one type and shape.
/// `wrongOfBlock`, if not null: the wrong ones of each `comparedAtOnce` elements.
Comparison compare(const Tensor &got, const Tensor &reference, double rtol, double atol,
                   double maxErrorRatio, unsigned threads,
                   std::vector<int64_t> *wrongOfBlock = nullptr);

} // namespace mmk
