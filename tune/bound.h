// Times that a variant cannot beat, from variants that were counted before.
#pragma once

#include "tune/result.h"
#include "tune/space.h"

#include <unordered_map>

namespace mmk::tune {

/// How long the cube works on a kernel follows from the tiles, the stages, the epilogue and the
/// store. Copies of buffers and the walk change only when, and the number of cores only where. So
/// one counted variant says of all that differ in these alone how long the cube of their busiest
/// core takes at the least: its share of the work.
class CubeBound {
public:
  explicit CubeBound(const Space &space);

  /// Takes note of what a point has taken at the shape that this is about.
  void learn(const Point &point, const std::string &variant, const Measure &measure);
  /// Cycles that the point takes at the least; 0 when nothing is known.
  int64_t cycles(const Point &point) const;

private:
  const Space &space_;
  std::vector<std::string> irrelevant_;
  std::unordered_map<std::string, int64_t> work_; ///< of all cubes, by what decides it
};

} // namespace mmk::tune
