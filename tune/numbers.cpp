#include "tune/numbers.h"

#include "frontend/numbers.h"
#include "schedule/directive.h"

#include <algorithm>

namespace mmk::tune {

uint16_t Numbers::placeFrom(int64_t number) const {
  const auto found =
      std::ranges::lower_bound(places, number, {}, [](auto &it) { return it.first; });
  return found == places.end() ? places.back().second : found->second;
}

uint16_t Numbers::placeUpTo(int64_t number) const {
  const auto above =
      std::ranges::upper_bound(places, number, {}, [](auto &it) { return it.first; });
  return above == places.begin() ? above->second : std::prev(above)->second;
}

std::vector<Numbers> numbersOf(const Kernel &kernel, const Space &space, const Dims &dims) {
  std::vector<Numbers> all;
  for (const Axis &axis : space.axes()) {
    Numbers &numbers = all.emplace_back();
    if (!hasNumbers(axis.key))
      continue;
    for (size_t place = 0; place < axis.words.size(); ++place)
      if (const auto number = parseInteger(axis.words[place]))
        numbers.places.emplace_back(*number, place);
    std::ranges::sort(numbers.places);
    if (!findDirective(axis.key)->isLength)
      continue;
    numbers.extent = parseInteger(indexOf(axis.key)).value_or(0);
    for (size_t dim = 0; dim < kernel.dimensions.size(); ++dim)
      if (indexOf(axis.key) == kernel.dimensions[dim])
        numbers.extent = dims[dim];
  }
  for (const auto &[stage, tile] : space.stages())
    all[stage].tile = tile;
  return all;
}

} // namespace mmk::tune
