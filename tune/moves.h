// Changes of a point that suit a shape: what a search of a whole space tries next.
#pragma once

#include "tune/numbers.h"

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

  uint64_t below(uint64_t limit) { return draws_.below(limit); }

private:
  int64_t numberAt(size_t axis, const Point &point) const;
  uint16_t drawNumber(const Numbers &numbers, double least, double most);
  void change(size_t axis, Point &point);
  /// Stages become whole tiles, and the order that of a panel that is kept.
  void fit(Point &point) const;

  const Space &space_;
  Draws draws_;
  int64_t parts_; ///< cores that share the tiles
  std::vector<Numbers> axes_;
  std::vector<size_t> free_; ///< axes with several words
};

} // namespace mmk::tune
