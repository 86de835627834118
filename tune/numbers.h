// The numbers of the axes of a space, in order, and what they are numbers of at a shape.
#pragma once

#include "store/result.h"
#include "tune/space.h"

#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace mmk::tune {

/// Those of one axis; no places where it is of words.
struct Numbers {
  std::vector<std::pair<int64_t, uint16_t>> places; ///< ascending, with their place on the axis
  int64_t extent = 0;                               ///< of a length: what it divides; else 0
  std::optional<size_t> tile;                       ///< of a stage: the axis of its tile

  bool isOfWords() const { return places.empty(); }
  int64_t least() const { return places.front().first; }
  int64_t most() const { return places.back().first; }
  /// The place of the smallest number that is not below, or of the largest.
  uint16_t placeFrom(int64_t number) const;
  /// The place of the largest number that is not above, or of the smallest.
  uint16_t placeUpTo(int64_t number) const;
};

/// By axis. Choices that are no numbers, such as `auto`, are left out.
std::vector<Numbers> numbersOf(const Kernel &kernel, const Space &space, const Dims &dims);

/// The same draws on every computer.
class Draws {
public:
  explicit Draws(uint64_t seed) : random_(seed) {}
  uint64_t below(uint64_t limit) { return random_() % limit; }
  /// From 0 to 1.
  double uniform() { return static_cast<double>(random_() >> 11) / 9007199254740992.0; }

private:
  std::mt19937_64 random_;
};

} // namespace mmk::tune
