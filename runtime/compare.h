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
};

/// An element is wrong when |x - ref| > atol + rtol * |ref|; NaN equals NaN, infinities must agree.
/// Passes when wrong / elements <= maxErrorRatio. Both tensors have one type and shape.
Comparison compare(const Tensor &got, const Tensor &reference, double rtol, double atol,
                   double maxErrorRatio, unsigned threads);

} // namespace mmk
