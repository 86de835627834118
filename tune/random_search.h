// Random variants of a space that is far too large to be counted: what a search is measured
// against.
#pragma once

#include "tune/evaluator.h"
#include "tune/floors.h"
#include "tune/numbers.h"

namespace mmk::tune {

/// Draws points at one shape that differ, may exist and are not known not to fit: lengths and
/// numbers uniform in their logarithms, no tile longer than its dimension, stages in whole tiles,
/// words uniform. Those that may be the best by their lower bounds are counted, least bound first;
/// the others cannot be faster than the best of them. The same points for the same space and seed.
class RandomSearch {
public:
  RandomSearch(const Kernel &kernel, const Space &space, Evaluator &evaluator, const Floors &floors,
               const Dims &dims, size_t shape, uint64_t seed);

  /// Draws so many and the default. Returns those that were counted.
  std::vector<Point> run(int64_t draws);

  /// A point that may not exist.
  Point draw();
  int64_t drawn() const { return drawn_; }
  int64_t bounded() const { return bounded_; } ///< not counted, as they cannot win

private:
  struct Drawn {
    int64_t floor;
    Point point;
  };

  uint16_t drawNumber(const Numbers &numbers, int64_t unit);

  const Space &space_;
  Evaluator &evaluator_;
  const Floors &floors_;
  size_t shape_;
  Draws draws_;
  std::vector<Numbers> axes_;
  std::vector<size_t> order_; ///< tiles before their stages
  int64_t drawn_ = 0, bounded_ = 0;
};

} // namespace mmk::tune
