// How far the closed form of the time is off, learned from what was counted.
#pragma once

#include "tune/space.h"

namespace mmk::tune {

/// The ratio of counted to predicted time is alike for variants that are alike: that of a point is
/// the mean of those counted, weighted by how near they are.
class FormError {
public:
  explicit FormError(const Space &space);

  void learn(const Point &point, double ratio);
  /// 1 where nothing is known.
  double ratioOf(const Point &point) const;

private:
  /// A coordinate an axis: the logarithm of its number, or the number of its word.
  std::vector<float> coordinatesOf(const Point &point) const;

  struct Axis {
    std::vector<float> coordinates; ///< by place
    bool isWord = false;
  };
  struct Known {
    std::vector<float> coordinates;
    double logarithm;
  };
  std::vector<Axis> axes_;
  std::vector<Known> known_;
};

} // namespace mmk::tune
