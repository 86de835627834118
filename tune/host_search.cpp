#include "tune/host_search.h"

#include "frontend/numbers.h"
#include "frontend/schedule.h"
#include "tune/halving.h"
#include "tune/numbers.h"

#include <algorithm>
#include <cmath>

namespace mmk::tune {
namespace {

/// The largest number of points that the model ranks.
constexpr uint64_t mostLookedAt = 20000;

/// Points compiled for each one that is timed: the host refuses choices that need an AI core.
constexpr size_t mostTriedEach = 16;
/// Pairs of runs of the default and another variant, at the end.
constexpr int mostPairs = 24;

} // namespace

double HostSearch::model(const Point &point) const {
  double padding = 1, tiles = 1;
  for (size_t i = 0; i < kernel_.dimensions.size(); ++i) {
    const auto axis = space_.axisOf("tile." + kernel_.dimensions[i]);
    const auto tile = axis ? parseInteger(space_.axes()[*axis].words[point[*axis]]) : std::nullopt;
    if (!tile)
      continue;
    const int64_t extent = shape_.dims[i], steps = (extent + *tile - 1) / *tile;
    // A tile beyond the whole extent is cut to it.
    if (steps > 1)
      padding *= static_cast<double>(steps * *tile) / static_cast<double>(extent);
    if (roleOf(kernel_, kernel_.dimensions[i]).isOutput)
      tiles *= static_cast<double>(steps);
  }
  const double threads = verifier_.threads();
  return padding * std::ceil(tiles / threads) * threads / tiles;
}

/// The least work first; equal ones in an order that depends on the seed.
std::vector<Point> HostSearch::promising() const {
  Draws draws(seed_);
  std::vector<Point> points;
  const bool all = space_.size() <= static_cast<double>(mostLookedAt);
  const auto size = all ? static_cast<uint64_t>(space_.size()) : mostLookedAt;
  for (uint64_t i = 0; i < size; ++i) {
    Point point = all ? space_.at(i) : space_.defaultPoint();
    if (!all)
      for (size_t axis = 0; axis < point.size(); ++axis)
        point[axis] = draws.below(space_.axes()[axis].words.size());
    if (space_.mayExist(point))
      points.push_back(std::move(point));
  }
  for (size_t i = points.size(); i > 1; --i)
    std::swap(points[i - 1], points[draws.below(i)]);
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < points.size(); ++i)
    order.emplace_back(model(points[i]), i);
  std::ranges::sort(order);
  std::vector<Point> best = {space_.defaultPoint()};
  for (const auto &[work, i] : order)
    best.push_back(points[i]);
  return best;
}

std::vector<HostSearch::Candidate> HostSearch::candidates() {
  std::vector<Point> points = promising();
  const auto most = static_cast<size_t>(most_);
  points.resize(std::min(points.size(), mostTriedEach * most));
  std::vector<Candidate> found;
  std::set<int32_t> seen;
  for (size_t from = 0; from < points.size() && found.size() < most; from += most) {
    const auto part = llvm::ArrayRef(points).slice(from, std::min(most, points.size() - from));
    evaluator_.evaluate(part, Evaluator::Shapes{number_});
    for (const Point &point : part)
      if (const auto answer = evaluator_.at(point, number_);
          answer && found.size() < most && seen.insert(answer->variant).second)
        found.push_back({point, answer->variant, answer->measure->microseconds});
  }
  return found;
}

void HostSearch::keep(int32_t variant, const Measure &measure) {
  if (!store_)
    return;
  const Finding finding{"", known_.nameOf(variant), "", {}, {{number_, measure}}};
  llvm::Error error = store_->add(finding);
  if (error && evaluator_.storeError.empty())
    evaluator_.storeError = llvm::toString(std::move(error));
  else
    llvm::consumeError(std::move(error));
}

llvm::Expected<double> HostSearch::time(const Candidate &candidate, int runs) {
  auto times = verifier_.time(space_.choices(candidate.point), shape_, /*warmup=*/1, runs);
  if (!times)
    return times.takeError();
  const double microseconds = 1000 * (*times)[times->size() / 2];
  setTime(candidate.variant, microseconds);
  if (evaluator_.watch)
    evaluator_.watch();
  return microseconds;
}

void HostSearch::setTime(int32_t variant, double microseconds) {
  Measure &measure = known_.measures[number_].at(variant);
  measure.microseconds = microseconds;
  keep(variant, measure);
}

llvm::Expected<std::vector<Point>> HostSearch::settle(const std::vector<Candidate> &candidates,
                                                      llvm::ArrayRef<Timed> timed) {
  const Candidate &reference = candidates.front();
  const double byDefault = known_.measures[number_].at(reference.variant).microseconds;
  std::vector<Point> faster = {reference.point};
  std::set<int32_t> shown = {reference.variant};
  for (const Timed &each : timed.drop_front()) {
    if (evaluator_.stopped())
      break;
    const Candidate &candidate = candidates[each.candidate];
    auto pairs = verifier_.timeInPairs(space_.choices(reference.point),
                                       space_.choices(candidate.point), shape_, mostPairs);
    if (!pairs)
      return pairs.takeError();
    if (const auto part = shownFaster(*pairs)) {
      setTime(candidate.variant, byDefault * *part);
      shown.insert(candidate.variant);
      faster.push_back(candidate.point);
    }
  }
  for (const Candidate &candidate : candidates)
    if (!shown.contains(candidate.variant)) {
      const double microseconds = known_.measures[number_].at(candidate.variant).microseconds;
      if (microseconds > 0 && microseconds <= byDefault)
        setTime(candidate.variant, std::nextafter(byDefault, INFINITY));
    }
  return faster;
}

llvm::Expected<std::vector<Point>> HostSearch::run() {
  const std::vector<Candidate> candidates = this->candidates();
  // Variants with a stored time are not timed again.
  const bool isKnown = std::ranges::all_of(
      candidates, [](const Candidate &candidate) { return candidate.microseconds > 0; });
  auto timed = halve(
      candidates.size(),
      [&](size_t i, int runs) -> llvm::Expected<double> {
        return isKnown ? candidates[i].microseconds : time(candidates[i], runs);
      },
      [&] { return evaluator_.stopped(); });
  if (!timed)
    return timed.takeError();
  if (!isKnown && !timed->empty() && timed->front().candidate == 0)
    return settle(candidates, *timed);
  std::vector<Point> result;
  for (const Timed &each : *timed)
    result.push_back(candidates[each.candidate].point);
  return result;
}

} // namespace mmk::tune
