#include "support/statistics.h"

#include <algorithm>
#include <cmath>

namespace mmk {
namespace {

double quantile(const std::vector<double> &sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// P(U <= u) for samples of n and m values without ties: each order of the values is as likely as
/// any other, and those with a given U are counted by whose value is the largest.
double exactTail(size_t n, size_t m, size_t u) {
  // orders[j][s]: of i values of `a` and j of `b`, those with U == s.
  std::vector<std::vector<double>> orders(m + 1, std::vector<double>(u + 1, 0));
  for (auto &ofZero : orders)
    ofZero[0] = 1;
  for (size_t i = 1; i <= n; ++i)
    for (size_t j = 1; j <= m; ++j) {
      // The largest is of `b`, or it is of `a` and beats all j of `b`.
      std::vector<double> &now = orders[j];
      for (size_t s = u + 1; s-- > 0;)
        now[s] = orders[j - 1][s] + (s >= j ? now[s - j] : 0);
    }
  double all = 1, tail = 0;
  for (size_t i = 1; i <= n; ++i)
    all *= static_cast<double>(m + i) / static_cast<double>(i);
  for (double count : orders[m])
    tail += count;
  return tail / all;
}

} // namespace

Summary summarise(std::vector<double> values) {
  std::ranges::sort(values);
  Summary summary;
  summary.count = values.size();
  const auto count = static_cast<double>(values.size());
  summary.min = values.front();
  for (double value : values)
    summary.mean += value / count;
  for (double value : values)
    summary.deviation += (value - summary.mean) * (value - summary.mean);
  summary.deviation = count > 1 ? std::sqrt(summary.deviation / (count - 1)) : 0;
  summary.p50 = quantile(values, 0.5);
  summary.p90 = quantile(values, 0.9);
  summary.p99 = quantile(values, 0.99);
  const double low = quantile(values, 0.25), high = quantile(values, 0.75),
               reach = 1.5 * (high - low);
  summary.outliersBelow = std::ranges::count_if(values, [&](double v) { return v < low - reach; });
  summary.outliersAbove = std::ranges::count_if(values, [&](double v) { return v > high + reach; });
  return summary;
}

RankTest rankTest(const std::vector<double> &a, const std::vector<double> &b) {
  struct Ranked {
    double value;
    bool isOfA;
  };
  std::vector<Ranked> all;
  for (double value : a)
    all.push_back({value, true});
  for (double value : b)
    all.push_back({value, false});
  std::ranges::sort(all, {}, &Ranked::value);

  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), both = n + m;
  double ranksOfA = 0, tied = 0;
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    for (end = begin + 1; end < all.size() && all[end].value == all[begin].value;)
      ++end;
    const auto ties = static_cast<double>(end - begin);
    const double rank = (static_cast<double>(begin + 1) + static_cast<double>(end)) / 2;
    for (size_t i = begin; i < end; ++i)
      ranksOfA += all[i].isOfA ? rank : 0;
    tied += ties * ties * ties - ties;
  }
  RankTest test;
  test.u = ranksOfA - n * (n + 1) / 2;
  const double nearer = std::min(test.u, n * m - test.u);
  test.isExact = tied == 0 && a.size() <= 50 && b.size() <= 50;
  if (test.isExact) {
    test.p = std::min(1.0, 2 * exactTail(a.size(), b.size(), static_cast<size_t>(nearer)));
    return test;
  }
  const double variance = n * m / 12 * (both + 1 - tied / (both * (both - 1)));
  const double distance = std::max(0.0, n * m / 2 - nearer - 0.5);
  test.p = variance > 0 ? std::erfc(distance / std::sqrt(2 * variance)) : 1;
  return test;
}

} // namespace mmk
