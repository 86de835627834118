#include "tune/halving.h"

#include <algorithm>
#include <cmath>

namespace mmk::tune {
namespace {

/// Of the last round: enough for the machine's noise to say nothing.
constexpr int lastRuns = 16;
constexpr size_t finalists = 3;

} // namespace

llvm::Expected<std::vector<Timed>>
halve(size_t count, llvm::function_ref<llvm::Expected<double>(size_t candidate, int runs)> time,
      llvm::function_ref<bool()> isStopped) {
  std::vector<Timed> left(count);
  for (size_t i = 0; i < count; ++i)
    left[i].candidate = i;
  for (int runs = 1; count > 0; runs *= 2) {
    for (Timed &each : left) {
      if (isStopped())
        break;
      llvm::Expected<double> microseconds = time(each.candidate, runs);
      if (!microseconds)
        return microseconds.takeError();
      each.microseconds = *microseconds;
    }
    // Candidates without a time come last.
    std::ranges::stable_sort(left.begin() + 1, left.end(), {}, [](const Timed &each) {
      return std::pair(each.microseconds == 0, each.microseconds);
    });
    if (runs >= lastRuns || isStopped())
      break;
    if (left.size() > finalists + 1)
      left.resize(std::max(finalists + 1, 1 + left.size() / 2));
    else
      runs = std::max(runs, lastRuns / 2);
  }
  std::erase_if(left, [](const Timed &each) { return each.microseconds == 0; });
  return left;
}

std::optional<double> shownFaster(llvm::ArrayRef<TimedPair> pairs) {
  std::vector<double> parts;
  size_t faster = 0;
  for (const TimedPair &pair : pairs) {
    parts.push_back(pair.other / pair.reference);
    faster += pair.other < pair.reference;
  }
  if (parts.empty())
    return std::nullopt;
  std::ranges::nth_element(parts, parts.begin() + parts.size() / 2);
  const double median = parts[parts.size() / 2];
  // The sign test: of n tosses of a coin, so many heads are n / 2 and 2.33 deviations of sqrt(n)
  // / 2.
  const auto count = static_cast<double>(pairs.size());
  const double byChance = count / 2 + 2.33 * std::sqrt(count) / 2;
  return static_cast<double>(faster) > byChance && median < 0.99 ? std::optional(median)
                                                                 : std::nullopt;
}

} // namespace mmk::tune
