#include "tune/moves.h"

#include "frontend/numbers.h"
#include "passes/variant.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace mmk::tune {
namespace {

constexpr size_t fewWords = 6;

/// The multiple of a power of two that is nearest: two or three times the power.
int64_t roundLength(double length) {
  const int64_t step = std::max<int64_t>(1, llvm::bit_floor(static_cast<uint64_t>(length)) / 2);
  return std::llround(length / static_cast<double>(step)) * step;
}

} // namespace

Moves::Moves(const Kernel &kernel, const Space &space, const Dims &dims, uint64_t seed)
    : space_(space), draws_(seed), axes_(numbersOf(kernel, space, dims)) {
  const Machine &machine = space.machine();
  const bool isOfVectorCores = !kernel.hasProduct() && machine.topology == mmk::Topology::split;
  parts_ = machine.cubeCores * (isOfVectorCores ? machine.vectorCoresPerCube : 1);
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    const size_t words = space.axes()[axis].words.size();
    if (words > 1)
      free_.push_back(axis);
    // Of a few choices with others than numbers all are words.
    if (axes_[axis].places.size() < words && words <= fewWords)
      axes_[axis].places.clear();
  }
}

int64_t Moves::numberAt(size_t axis, const Point &point) const {
  return parseInteger(space_.axes()[axis].words[point[axis]]).value_or(1);
}

/// Between two lengths or numbers, uniform in the logarithm; a length as one of so many equal ones,
/// or a round one, with which more transfers begin at a packet of memory.
uint16_t Moves::drawNumber(const Numbers &numbers, double least, double most) {
  const double drawn = least * std::pow(std::max(1.0, most / least), draws_.uniform());
  if (numbers.extent == 0)
    return numbers.placeFrom(std::llround(drawn));
  const uint64_t kind = below(4);
  if (kind == 0)
    return numbers.placeFrom(roundLength(drawn));
  auto parts = std::max<int64_t>(1, std::llround(static_cast<double>(numbers.extent) / drawn));
  // Every core gets as many as every other.
  if (kind == 1 && parts > 1)
    parts = llvm::alignTo(parts, parts_);
  return numbers.placeFrom(llvm::divideCeilSigned(numbers.extent, parts));
}

void Moves::fit(Point &point) const {
  for (const auto &[stage, tile] : space_.stages()) {
    const int64_t length = numberAt(stage, point), step = numberAt(tile, point);
    if (length % step == 0)
      continue;
    // The last whole number of tiles that is one of the stages.
    const Numbers &numbers = axes_[stage];
    for (const auto &[number, place] : numbers.places)
      if (number % step == 0 && (number <= length || numberAt(stage, point) % step != 0))
        point[stage] = place;
  }
  const auto keep = space_.axisOf("keep"), order = space_.axisOf("order");
  if (!keep || !order)
    return;
  const auto panel = keptPanel(space_.axes()[*keep].words[point[*keep]]);
  const auto &words = space_.axes()[*order].words;
  if (const auto along = panel ? llvm::find(words, orderAlong(*panel)) : words.end();
      along != words.end())
    point[*order] = along - words.begin();
}

Point Moves::draw() {
  Point point = space_.defaultPoint();
  for (size_t axis : free_) {
    const Numbers &numbers = axes_[axis];
    point[axis] = numbers.isOfWords() ? below(space_.axes()[axis].words.size())
                                      : drawNumber(numbers, static_cast<double>(numbers.least()),
                                                   static_cast<double>(numbers.most()));
  }
  fit(point);
  return point;
}

void Moves::change(size_t axis, Point &point) {
  const Numbers &numbers = axes_[axis];
  if (numbers.isOfWords()) {
    point[axis] = below(space_.axes()[axis].words.size());
    return;
  }
  const auto least = static_cast<double>(numbers.least()),
             most = static_cast<double>(numbers.most()),
             now = static_cast<double>(numberAt(axis, point));
  if (below(4) == 0)
    point[axis] = drawNumber(numbers, least, most);
  else
    point[axis] = drawNumber(numbers, std::max(least, now / 2), std::min(most, now * 2));
}

Point Moves::child(const Point &point, const Point &other) {
  Point child = point;
  if (below(3) == 0)
    for (size_t axis : free_)
      if (below(3) == 0)
        child[axis] = other[axis];
  if (!free_.empty())
    for (uint64_t changes = below(3) + 1; changes > 0; --changes)
      change(free_[below(free_.size())], child);
  fit(child);
  return child;
}

std::vector<Point> Moves::neighbours(const Point &point) const {
  std::vector<Point> neighbours;
  const auto add = [&](size_t axis, uint16_t place) {
    if (place == point[axis])
      return;
    Point neighbour = point;
    neighbour[axis] = place;
    fit(neighbour);
    if (neighbour != point)
      neighbours.push_back(std::move(neighbour));
  };
  for (size_t axis : free_) {
    const Numbers &numbers = axes_[axis];
    if (numbers.isOfWords()) {
      for (size_t place = 0; place < space_.axes()[axis].words.size(); ++place)
        add(axis, place);
      continue;
    }
    const int64_t now = numberAt(axis, point);
    const auto at = std::ranges::lower_bound(numbers.places, now, {},
                                             [](const auto &each) { return each.first; });
    if (at != numbers.places.begin())
      add(axis, std::prev(at)->second);
    if (at != numbers.places.end() && std::next(at) != numbers.places.end())
      add(axis, std::next(at)->second);
    add(axis, numbers.placeFrom(2 * now));
    add(axis, numbers.placeFrom(llvm::divideCeilSigned(now, 2)));
    if (numbers.extent == 0)
      continue;
    for (double scale : {0.75, 1.0, 1.5})
      add(axis, numbers.placeFrom(roundLength(scale * static_cast<double>(now))));
    const int64_t parts = llvm::divideCeilSigned(numbers.extent, now);
    for (int64_t other : {parts, parts - 1, parts + 1, parts / parts_ * parts_,
                          static_cast<int64_t>(llvm::alignTo(parts + 1, parts_))})
      if (other > 0)
        add(axis, numbers.placeFrom(llvm::divideCeilSigned(numbers.extent, other)));
  }
  return neighbours;
}

} // namespace mmk::tune
