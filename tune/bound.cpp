#include "tune/bound.h"

#include "tune/evaluator.h"

#include <algorithm>

namespace mmk::tune {

CubeBound::CubeBound(const Space &space) : space_(space), irrelevant_({"cores", "order"}) {
  for (const Axis &axis : space.axes())
    if (axis.key.starts_with("buffers."))
      irrelevant_.push_back(axis.key);
}

void CubeBound::learn(const Point &point, const std::string &variant, const Measure &measure) {
  // Where tiles fit themselves to the cores, or a grid deals them, the work depends on the number.
  if (tune::coresOf(variant) == 0)
    return;
  // A mean is rounded: half a cycle for each core.
  const int64_t cube = measure.busyCycles[static_cast<size_t>(Pipe::cube)];
  work_.try_emplace(space_.requestWithout(point, irrelevant_),
                    std::max<int64_t>(0, cube * measure.cores - measure.cores));
}

int64_t CubeBound::cycles(const Point &point) const {
  const auto found = work_.find(space_.requestWithout(point, irrelevant_));
  return found == work_.end() ? 0 : found->second / space_.coresOf(point);
}

} // namespace mmk::tune
