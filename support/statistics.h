// Statistics of repeated measurements of one quantity.
#pragma once

#include <cstddef>
#include <vector>

namespace mmk {

struct Summary {
  size_t count = 0;
  double min = 0, mean = 0, deviation = 0; ///< standard deviation of the sample
  double p50 = 0, p90 = 0, p99 = 0;        ///< between two values: in proportion
  /// By the interquartile rule: further than 1.5 times the distance of the quartiles beyond them.
  /// They are part of all other figures.
  size_t outliersBelow = 0, outliersAbove = 0;

  double relativeDeviation() const { return mean > 0 ? deviation / mean : 0; }
};
/// `values` are not empty, in any order.
Summary summarise(std::vector<double> values);

/// The rank test of Mann, Whitney and Wilcoxon: whether values of one sample tend to be larger than
/// those of another, whatever their distributions.
struct RankTest {
  double u = 0;         ///< pairs in which the value of `a` is larger; a tie is half a pair
  double p = 1;         ///< probability of a `u` at least as far from the middle by chance alone
  bool isExact = false; ///< else by the normal distribution, corrected for ties and continuity
};
/// Exact for samples without ties of at most 50 values each. Neither is empty.
RankTest rankTest(const std::vector<double> &a, const std::vector<double> &b);

} // namespace mmk
