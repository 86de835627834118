#include "tune/bounded_search.h"

#include <algorithm>

namespace mmk::tune {
namespace {

/// Asked for at once: enough for all threads, and few enough for what they find to spare others.
constexpr size_t part = 64;
/// Put off at the most before the others are asked for: looking costs time, too.
constexpr size_t mostPutOff = 128;

} // namespace

BoundedSearch::BoundedSearch(const Space &space, Evaluator &evaluator, const Known &known,
                             size_t shapes)
    : space_(space), evaluator_(evaluator), known_(known), bounds_(shapes, Bounds(space)),
      best_(shapes, INT64_MAX) {
  for (const auto &[request, code] : known.codes)
    if (code.variant != Known::Code::none)
      if (const auto point = space.pointOf(request); point && space.mayExist(*point))
        learn(*point);
}

void BoundedSearch::learn(const Point &point) {
  for (size_t shape = 0; shape < bounds_.size(); ++shape)
    if (const auto answer = evaluator_.at(point, shape)) {
      const Measure &measure = *answer->measure;
      bounds_[shape].learn(point, evaluator_.nameOf(*answer), measure);
      // One with wrong results wins nothing.
      const auto check = known_.checks[shape].find(answer->variant);
      if (check == known_.checks[shape].end() || check->second.state != CheckState::failed)
        best_[shape] = std::min(best_[shape], measure.cycles);
    }
}

void BoundedSearch::learn(llvm::ArrayRef<Point> points) {
  for (const Point &point : points)
    learn(point);
}

Evaluator::Shapes BoundedSearch::open(const Point &point) const {
  Evaluator::Shapes shapes;
  for (size_t shape = 0; shape < bounds_.size(); ++shape)
    if (!bounds_[shape].exceed(point, best_[shape]))
      shapes.push_back(shape);
  return shapes;
}

BoundedSearch::Pending BoundedSearch::round(Pending pending, int64_t most, const Watch &watch) {
  Pending later;
  for (size_t i = 0; i < pending.size();) {
    std::vector<Point> asked;
    std::vector<Evaluator::Shapes> shapesOf;
    llvm::DenseSet<uint64_t> taught;
    const size_t before = later.size();
    for (; i < pending.size() && asked.size() < part && later.size() < before + mostPutOff; ++i) {
      Point &point = pending[i];
      if (evaluator_.isRefused(point)) {
        ++refused_;
        continue;
      }
      Evaluator::Shapes shapes = open(point);
      if (shapes.empty()) {
        ++bounded_;
        continue;
      }
      std::vector<uint64_t> names;
      for (size_t shape : shapes)
        bounds_[shape].appendUnknown(point, names);
      if (std::ranges::any_of(names, [&](uint64_t name) { return taught.contains(name); })) {
        later.push_back(std::move(point));
        continue;
      }
      taught.insert(names.begin(), names.end());
      asked.push_back(std::move(point));
      shapesOf.push_back(std::move(shapes));
    }
    evaluator_.ask(asked, shapesOf);
    learn(asked);
    std::ranges::move(asked, std::back_inserter(asked_));
    const auto left = static_cast<int64_t>(later.size() + pending.size() - i);
    watch(points_ - left, points_);
    if (evaluator_.stopped() || evaluator_.counted > most) {
      std::move(pending.begin() + i, pending.end(), std::back_inserter(later));
      break;
    }
  }
  return later;
}

bool BoundedSearch::run(int64_t most, const Watch &watch) {
  Pending pending;
  space_.forEach([&](const Point &point) {
    ++points_;
    if (evaluator_.isRefused(point))
      ++refused_;
    else if (open(point).empty())
      ++bounded_;
    else
      pending.push_back(point);
    return true;
  });
  while (!pending.empty()) {
    pending = round(std::move(pending), most, watch);
    if (evaluator_.stopped() || evaluator_.counted > most)
      return pending.empty();
  }
  return true;
}

} // namespace mmk::tune
