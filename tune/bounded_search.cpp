#include "tune/bounded_search.h"

#include <algorithm>

namespace mmk::tune {
namespace {

/// Points evaluated at once: enough for all threads, and few enough that their results prune later
/// ones.
constexpr size_t pointsAtOnce = 64;
/// Points postponed at most before the others are evaluated: bounding takes time, too.
constexpr size_t mostPutOff = 128;

} // namespace

BoundedSearch::BoundedSearch(const Space &space, Evaluator &evaluator, const Known &known,
                             size_t shapes, const Floors &floors, const Subspace *decided)
    : space_(space), evaluator_(evaluator), known_(known), floors_(floors), decided_(decided),
      number_(space, [](std::string_view) { return true; }), bounds_(space, shapes),
      best_(shapes, INT64_MAX) {
  for (const auto &[request, code] : known.codes)
    if (code.variant != Known::Code::none)
      if (const auto point = space.pointOf(request); point && space.mayExist(*point)) {
        // Known points may stand for others, which have more cores than work.
        evaluator_.recall(*point);
        learn(*point);
      }
}

bool BoundedSearch::learn(const Point &point) {
  bool isMeasured = false;
  for (size_t shape = 0; shape < best_.size(); ++shape)
    if (const auto answer = evaluator_.at(point, shape)) {
      isMeasured = true;
      const Measure &measure = *answer->measure;
      bounds_.learn(point, evaluator_.nameOf(*answer), measure, shape);
      if (!known_.isWrong(answer->variant, shape))
        best_[shape] = std::min(best_[shape], measure.cycles);
    }
  if (isMeasured)
    learned_.insert(number_.of(point));
  return isMeasured;
}

void BoundedSearch::learn(llvm::ArrayRef<Point> points) {
  for (const Point &point : points)
    learn(point);
}

bool BoundedSearch::isRefused(const Point &point) const {
  return evaluator_.isRefused(point) || !floors_.cycles(point, 0);
}

Evaluator::Shapes BoundedSearch::open(const Point &point) const {
  Evaluator::Shapes shapes = bounds_.within(point, best_);
  std::erase_if(shapes, [&](size_t shape) {
    return floors_.cycles(point, shape).value_or(0) > best_[shape];
  });
  return shapes;
}

/// Prunes a point that cannot win; some such points were measured before.
void BoundedSearch::prune(Point point) {
  if (!learned_.contains(number_.of(point))) {
    ++bounded_;
    return;
  }
  evaluator_.recall(point);
  measured_.push_back(std::move(point));
}

BoundedSearch::Pending BoundedSearch::round(Pending pending, int64_t most, const Watch &watch) {
  Pending later;
  for (size_t i = 0; i < pending.size();) {
    std::vector<Point> batch;
    std::vector<Evaluator::Shapes> shapesOf;
    llvm::DenseSet<uint64_t> taught;
    const size_t before = later.size();
    for (; i < pending.size() && batch.size() < pointsAtOnce && later.size() < before + mostPutOff;
         ++i) {
      Point &point = pending[i];
      if (isRefused(point)) {
        ++refused_;
        continue;
      }
      Evaluator::Shapes shapes = open(point);
      if (shapes.empty()) {
        prune(std::move(point));
        continue;
      }
      std::vector<uint64_t> names;
      bounds_.appendUnknown(point, shapes, names);
      if (std::ranges::any_of(names, [&](uint64_t name) { return taught.contains(name); })) {
        later.push_back(std::move(point));
        continue;
      }
      taught.insert(names.begin(), names.end());
      batch.push_back(std::move(point));
      shapesOf.push_back(std::move(shapes));
    }
    evaluator_.evaluate(batch, shapesOf);
    for (Point &point : batch)
      if (learn(point))
        measured_.push_back(std::move(point));
      else if (!evaluator_.stopped())
        ++refused_;
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
    if (decided_ && decided_->covers(point))
      return true;
    ++points_;
    if (isRefused(point))
      ++refused_;
    else if (open(point).empty())
      prune(point);
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
