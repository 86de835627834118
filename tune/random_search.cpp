#include "tune/random_search.h"

#include "frontend/numbers.h"

#include <algorithm>
#include <cmath>

namespace mmk::tune {
namespace {

/// Draws that may fail before the space is taken to be exhausted, for each that is wanted.
constexpr int64_t triesOfOne = 5000;
/// Points counted at once.
constexpr size_t drawsAtOnce = 32;

} // namespace

RandomSearch::RandomSearch(const Kernel &kernel, const Space &space, Evaluator &evaluator,
                           const Floors &floors, const Dims &dims, size_t shape, uint64_t seed)
    : space_(space), evaluator_(evaluator), floors_(floors), shape_(shape), draws_(seed),
      axes_(numbersOf(kernel, space, dims)) {
  // The first tile that is as long as its dimension does what all longer ones do.
  for (Numbers &numbers : axes_)
    if (numbers.extent > 0) {
      const auto enough = std::ranges::lower_bound(numbers.places, numbers.extent, {},
                                                   [](const auto &each) { return each.first; });
      if (enough != numbers.places.end())
        numbers.places.erase(enough + 1, numbers.places.end());
    }
  for (size_t i = 0; i < axes_.size(); ++i)
    order_.push_back(i);
  std::ranges::stable_sort(order_, {}, [&](size_t axis) { return axes_[axis].tile.has_value(); });
}

/// Of the multiples of a unit, uniform in its logarithm.
uint16_t RandomSearch::drawNumber(const Numbers &numbers, int64_t unit) {
  const auto least = static_cast<double>(std::max(unit, numbers.least())),
             most = static_cast<double>(numbers.most());
  // Each number has the share of the logarithm up to the next.
  const auto wanted =
      static_cast<int64_t>(
          least * std::pow(std::max(1.0, (most + unit) / least), draws_.uniform()) / unit) *
      unit;
  return numbers.placeUpTo(wanted);
}

Point RandomSearch::draw() {
  Point point(axes_.size(), 0);
  for (size_t axis : order_) {
    const Numbers &numbers = axes_[axis];
    if (numbers.isOfWords()) {
      point[axis] = draws_.below(space_.axes()[axis].words.size());
      continue;
    }
    const int64_t unit =
        numbers.tile
            ? parseInteger(space_.axes()[*numbers.tile].words[point[*numbers.tile]]).value_or(1)
            : 1;
    point[axis] = drawNumber(numbers, unit);
  }
  return point;
}

std::vector<Point> RandomSearch::run(int64_t draws) {
  std::vector<Point> counted = {space_.defaultPoint(shape_)};
  evaluator_.evaluate(counted, Evaluator::Shapes{shape_});
  std::vector<Drawn> all;
  std::set<Point> seen;
  for (int64_t tries = draws * triesOfOne; tries > 0 && std::ssize(all) < draws; --tries) {
    Point point = draw();
    const auto floor = floors_.cycles(point, shape_);
    if (floor && space_.mayExist(point) && seen.insert(point).second)
      all.push_back({*floor, std::move(point)});
  }
  drawn_ = std::ssize(all);
  std::ranges::stable_sort(all, {}, &Drawn::floor);

  int64_t best = INT64_MAX;
  const auto learn = [&](const Point &point) {
    if (const auto answer = evaluator_.at(point, shape_))
      best = std::min(best, answer->measure->cycles);
  };
  learn(counted.front());
  size_t next = 0;
  while (next < all.size() && all[next].floor < best && !evaluator_.stopped()) {
    std::vector<Point> batch;
    for (; batch.size() < drawsAtOnce && next < all.size() && all[next].floor < best; ++next)
      batch.push_back(all[next].point);
    evaluator_.evaluate(batch, Evaluator::Shapes{shape_});
    for (Point &point : batch) {
      learn(point);
      counted.push_back(std::move(point));
    }
  }
  bounded_ = std::ssize(all) - static_cast<int64_t>(next);
  return counted;
}

} // namespace mmk::tune
