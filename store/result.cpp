#include "store/result.h"

#include <algorithm>
#include <numeric>

namespace mmk::tune {

bool isWithin(const std::vector<ShapeLimit> &limits, const Dims &dims) {
  return std::ranges::all_of(limits, [&](const ShapeLimit &limit) {
    int64_t extent = 1;
    for (const size_t dimension : limit.dimensions)
      extent *= dims[dimension];
    return extent <= limit.most;
  });
}

int64_t Measure::onChipBytes() const {
  return std::accumulate(memoryBytes.begin(), memoryBytes.end(), int64_t(0));
}

Pipe Measure::bound() const {
  const auto busiest = std::ranges::max_element(busyCycles);
  // As in ClockReport: of equals the cube, else the first.
  constexpr auto cube = static_cast<size_t>(Pipe::cube);
  if (busyCycles[cube] == *busiest)
    return Pipe::cube;
  return allPipes[busiest - busyCycles.begin()];
}

} // namespace mmk::tune
