// Random numbers that are the same on every machine, unlike those of the standard library's
// distributions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace mmk::hunt {

/// splitmix64.
class Random {
public:
  /// Unrelated numbers for each sample of a seed.
  Random(uint64_t seed, uint64_t number) : state_(seed) { state_ = next() ^ (number << 1); }

  uint64_t next() {
    uint64_t mixed = state_ += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  /// From 0 to `count` - 1.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

  template <typename T> const T &oneOf(const std::vector<T> &choices) {
    return choices[below(static_cast<int64_t>(choices.size()))];
  }
  template <typename T> T oneOf(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<int64_t>(choices.size()))];
  }

private:
  uint64_t state_;
};

} // namespace mmk::hunt
