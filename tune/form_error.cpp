#include "tune/form_error.h"

#include "frontend/numbers.h"
#include "schedule/directive.h"

#include <algorithm>
#include <cmath>

namespace mmk::tune {
namespace {

/// A factor of two along one axis, or another word, weighs an eighth of the same. Copies of buffers
/// matter less.
constexpr float octave = 3, copies = 1, longest = 12;

} // namespace

FormError::FormError(const Space &space) {
  for (const tune::Axis &axis : space.axes()) {
    Axis &own = axes_.emplace_back();
    own.isWord = !hasNumbers(axis.key);
    const float scale = findDirective(axis.key)->index == DirectiveIndex::buffer ? copies : octave;
    for (size_t place = 0; place < axis.words.size(); ++place) {
      const auto number = static_cast<float>(parseInteger(axis.words[place]).value_or(1));
      own.coordinates.push_back(own.isWord ? static_cast<float>(place)
                                           : scale * std::log2(std::max(1.0F, number)));
    }
  }
}

std::vector<float> FormError::coordinatesOf(const Point &point) const {
  std::vector<float> coordinates(point.size());
  for (size_t i = 0; i < point.size(); ++i)
    coordinates[i] = axes_[i].coordinates[point[i]];
  return coordinates;
}

void FormError::learn(const Point &point, double ratio) {
  known_.push_back({coordinatesOf(point), std::log(ratio)});
}

double FormError::ratioOf(const Point &point) const {
  const std::vector<float> coordinates = coordinatesOf(point);
  double sum = 0, weights = 0;
  for (const Known &known : known_) {
    float distance = 0;
    for (size_t i = 0; i < coordinates.size(); ++i) {
      const float apart = std::abs(coordinates[i] - known.coordinates[i]);
      distance += axes_[i].isWord ? (apart > 0 ? octave : 0) : std::min(apart, longest);
    }
    const double weight = std::exp2(-distance);
    sum += weight * known.logarithm;
    weights += weight;
  }
  return weights > 0 ? std::exp(sum / weights) : 1;
}

} // namespace mmk::tune
