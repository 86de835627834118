// Changes of a point that suit a shape: what a search of a whole space tries next.
#pragma once

#include "tune/space.h"

#include "store/result.h"

#include <random>

namespace mmk::tune {

/// Most tiles are the shortest of their number, so that all are of the same length, or nearly:
/// there is one such length for each number of tiles. The others are round.
class Moves {
public:
  Moves(const Kernel &kernel, const Space &space, const Dims &dims, uint64_t seed);

  /// Everything at random: tiles by their number, other numbers uniform in their logarithms.
  Point draw();
  /// The point with one to three directives changed at random, and with some of `other`.
  Point child(const Point &point, const Point &other);
  /// The points that differ in one directive: in any word, in the next number, or in the next
  /// number of tiles; and with half and twice of it, and round ones.
  std::vector<Point> neighbours(const Point &point) const;

  uint64_t below(uint64_t limit) { return random_() % limit; }

private:
  struct Numbers {
    std::vector<std::pair<int64_t, uint16_t>> places; ///< ascending, with their place on the axis
    int64_t extent = 0;                               ///< of a length: what it divides; else 0
    std::optional<size_t> tile;                       ///< of a stage: the axis of its tile
  };
  bool isFree(size_t axis) const { return space_.axes()[axis].words.size() > 1; }
  int64_t numberAt(size_t axis, const Point &point) const;
  /// The place of the smallest number that is not below, or of the largest.
  static uint16_t placeOf(const Numbers &numbers, int64_t number);
  uint16_t drawNumber(const Numbers &numbers, double least, double most);
  void change(size_t axis, Point &point);
  /// Stages become whole tiles, and the order that of a panel that is kept.
  void fit(Point &point) const;
  double uniform() { return static_cast<double>(random_() >> 11) / 9007199254740992.0; }

  const Space &space_;
  std::mt19937_64 random_;
  int64_t parts_;             ///< cores that share the tiles
  std::vector<Numbers> axes_; ///< empty for words
  std::vector<size_t> free_;  ///< axes with several words
};

} // namespace mmk::tune
