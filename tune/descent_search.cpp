#include "tune/descent_search.h"

#include "frontend/numbers.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace mmk::tune {
namespace {

constexpr size_t shortAxis = 6;         ///< up to so many words are all tried
constexpr size_t mostCombinations = 96; ///< of one group at once
constexpr int64_t mostSampled = 400;
constexpr size_t eliteSize = 16, childrenAtOnce = 16, beamWidth = 6;

/// Lengths and copies of buffers: the larger, the more memory.
bool takesMemory(std::string_view key) {
  const DirectiveTraits &directive = *findDirective(key);
  return directive.isLength || directive.index == DirectiveIndex::buffer;
}

} // namespace

DescentSearch::DescentSearch(const Space &space, Evaluator &evaluator, size_t shape,
                             const Objective &objective, uint64_t seed, int64_t budget,
                             const Floors *floors)
    : space_(space), evaluator_(evaluator), shape_(shape), objective_(objective), random_(seed),
      budget_(budget), bound_(space), floors_(floors) {
  best_.score = std::numeric_limits<double>::infinity();
  for (const Axis &axis : space.axes()) {
    std::vector<uint16_t> &places = ascending_.emplace_back(axis.words.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::sort(places, {}, [&](uint16_t place) {
      return std::pair(parseInteger(axis.words[place]).value_or(0), place);
    });
    if (takesMemory(axis.key) && std::ranges::all_of(axis.words, [](const std::string &word) {
          return parseInteger(word).has_value();
        }))
      sizes_.push_back(ascending_.size() - 1);
  }
  makeGroups();
}

SearchGroup DescentSearch::groupOf(std::string_view key) const {
  if (key == "buffers.acc")
    return SearchGroup::outputTile;
  const SearchGroup group = findDirective(key)->group;
  const bool hasStage = space_.axisOf(fmt::format("stage.{}", indexOf(key))).has_value();
  return group == SearchGroup::outputTile && hasStage ? SearchGroup::reductionStep : group;
}

// Sizes fit or do not fit together, so those that share a memory are chosen together; all others
// one by one.
void DescentSearch::makeGroups() {
  for (size_t i = 0; i < space_.axes().size(); ++i) {
    const std::string &key = space_.axes()[i].key;
    if (space_.axes()[i].words.size() < 2)
      continue;
    const SearchGroup group = groupOf(key);
    if (group == SearchGroup::reductionStep)
      reduction_.push_back(i);
    else if (group == SearchGroup::outputTile)
      output_.push_back(i);
    else if (group == SearchGroup::alone)
      groups_.push_back({i});
    // Which lines of memory are loaded at the same time, and what is found in L1, is decided by the
    // order, the skew, the panel and the depth of a stage together.
    if (group == SearchGroup::loadOrder || isOf(key, "stage"))
      loads_.push_back(i);
    if (!hasNumbers(key))
      words_.push_back(i);
  }
  for (const Group *group : {&loads_, &reduction_, &output_})
    if (!group->empty())
      groups_.insert(groups_.begin(), *group);
}

bool DescentSearch::isLikelyRefused(const Point &point) const {
  const auto number = [&](const Point &of, size_t axis) {
    return *parseInteger(space_.axes()[axis].words[of[axis]]);
  };
  // A variant with the same words and larger sizes does not fit either.
  return std::ranges::any_of(refused_, [&](const Point &refused) {
    return std::ranges::all_of(words_, [&](size_t axis) { return point[axis] == refused[axis]; }) &&
           std::ranges::all_of(
               sizes_, [&](size_t axis) { return number(point, axis) >= number(refused, axis); });
  });
}

void DescentSearch::evaluate(const std::vector<Point> &points) {
  std::vector<Point> fresh;
  for (const Point &point : points) {
    if (spent_ + static_cast<int64_t>(fresh.size()) >= budget_)
      break;
    if (seen_.contains(point) || !space_.mayExist(point) || isLikelyRefused(point))
      continue;
    const auto floor = floors_ ? floors_->cycles(point, shape_) : 0;
    if (!floor)
      continue;
    // Time alone has a bound; half a memory may be worth twice the time.
    if (reference_ && objective_.isTimeAlone() && !objective_.isPareto && best_.score < 1e300) {
      const auto least = static_cast<double>(std::max(bound_.cycles(point), *floor));
      if (least / static_cast<double>(reference_->cycles) >= best_.score)
        continue;
    }
    seen_.insert(point);
    fresh.push_back(point);
  }
  spent_ += static_cast<int64_t>(fresh.size());
  evaluator_.evaluate(fresh, Evaluator::Shapes{shape_});
  for (Point &point : fresh) {
    const auto answer = evaluator_.at(point, shape_);
    if (!answer) {
      if (!evaluator_.stopped())
        refused_.push_back(point);
      continue;
    }
    if (!reference_) {
      reference_ = *answer->measure;
      if (cyclesOfHalf_ > 0)
        budget_ = std::max(
            leastBudget_,
            static_cast<int64_t>(static_cast<double>(budget_) /
                                 (1 + static_cast<double>(reference_->cycles) / cyclesOfHalf_)));
    }
    bound_.learn(point, evaluator_.nameOf(*answer), *answer->measure);
    Scored scored{point, objective_.score(*answer->measure, *reference_),
                  answer->measure->microseconds};
    std::vector<uint16_t> words;
    for (size_t axis : words_)
      words.push_back(point[axis]);
    Scored &bestOfWords = bestOfWords_.try_emplace(words, scored).first->second;
    if (scored.score < bestOfWords.score)
      bestOfWords = scored;
    // Of several with equal times, whose differences have no effect, only one: they would fill the
    // elite.
    const auto place = std::ranges::lower_bound(elite_, scored.score, {}, &Scored::score);
    if (place == elite_.end() || place->score != scored.score)
      elite_.insert(place, scored);
    if (elite_.size() > eliteSize)
      elite_.pop_back();
    evaluated_.push_back(std::move(point));
  }
  if (!elite_.empty())
    best_ = elite_.front();
}

std::vector<uint16_t> DescentSearch::places(size_t axis, uint16_t around, size_t stride) const {
  const std::vector<uint16_t> &all = ascending_[axis];
  if (all.size() <= shortAxis)
    return all;
  std::set<size_t> chosen;
  const size_t at = std::ranges::find(all, around) - all.begin();
  chosen.insert(at);
  if (at >= stride)
    chosen.insert(at - stride);
  if (at + stride < all.size())
    chosen.insert(at + stride);
  std::vector<uint16_t> places;
  for (size_t i : chosen)
    places.push_back(all[i]);
  return places;
}

/// A stage that is no multiple of its tile gets the largest tile that divides it.
void DescentSearch::fitSteps(Point &point) const {
  const auto number = [&](size_t axis, uint16_t place) {
    return parseInteger(space_.axes()[axis].words[place]).value_or(1);
  };
  for (const auto &[stage, tile] : space_.stages()) {
    const int64_t length = number(stage, point[stage]);
    if (length % number(tile, point[tile]) == 0)
      continue;
    for (uint16_t place : ascending_[tile])
      if (length % number(tile, place) == 0)
        point[tile] = place;
  }
}

std::vector<Point> DescentSearch::combinations(const Group &group, const Point &around,
                                               size_t stride) {
  std::vector<Point> points = {around};
  for (size_t axis : group) {
    const size_t before = points.size();
    for (uint16_t place : places(axis, around[axis], stride))
      if (place != around[axis])
        for (size_t i = 0; i < before; ++i) {
          points.push_back(points[i]);
          points.back()[axis] = place;
        }
  }
  for (Point &point : points)
    fitSteps(point);
  if (points.size() > mostCombinations) {
    for (size_t i = 0; i < mostCombinations; ++i)
      std::swap(points[i], points[i + below(points.size() - i)]);
    points.resize(mostCombinations);
  }
  return points;
}

/// The best output tile depends on its depth, on the unit that adds the bias, on the panels kept in
/// L1 and on the order: a joint sample of these, so that the best few start at different points.
void DescentSearch::sample() {
  const auto most = static_cast<size_t>(std::min(budget_ / 4, mostSampled));
  std::set<Point> points;
  for (size_t tries = 0; tries < 10 * most && points.size() < most; ++tries) {
    Point point = space_.defaultPoint(shape_);
    for (const Group *group : {&output_, &reduction_, &words_})
      for (size_t axis : *group)
        point[axis] = below(ascending_[axis].size());
    if (space_.mayExist(point))
      points.insert(std::move(point));
  }
  evaluate({points.begin(), points.end()});
  beam(words_);
  beam(output_);
}

void DescentSearch::descend() {
  size_t longest = 1;
  for (const auto &places : ascending_)
    longest = std::max(longest, places.size());
  size_t stride = 1;
  while (stride * 4 < longest)
    stride *= 2;
  for (;; stride /= 2) {
    for (bool improved = true; improved && !isDone();) {
      const double before = best_.score;
      for (const Group &group : groups_)
        if (!isDone())
          evaluate(combinations(group, best_.point, stride));
      beam(output_);
      refine();
      improved = best_.score < before;
    }
    if (stride == 1 || isDone())
      break;
  }
}

/// A tile that loses with the depth, buffers and words tuned for another tile may win with its own,
/// and so may words: each of the best few that differ in these is refined.
void DescentSearch::beam(const Group &group) {
  std::vector<Scored> all = elite_;
  for (const auto &[words, scored] : bestOfWords_)
    all.push_back(scored);
  std::ranges::stable_sort(all, {}, &Scored::score);
  std::vector<Point> starts;
  for (const Scored &scored : all) {
    const bool isNew = std::ranges::none_of(starts, [&](const Point &start) {
      return std::ranges::all_of(group,
                                 [&](size_t axis) { return start[axis] == scored.point[axis]; });
    });
    if (isNew && starts.size() < beamWidth)
      starts.push_back(scored.point);
  }
  for (const Point &start : starts)
    if (!isDone())
      evaluate(neighbours(start));
}

/// The points that differ in one directive.
std::vector<Point> DescentSearch::neighbours(const Point &point) const {
  std::vector<Point> neighbours;
  for (size_t axis = 0; axis < ascending_.size(); ++axis)
    for (uint16_t place : places(axis, point[axis], 1)) {
      neighbours.push_back(point);
      neighbours.back()[axis] = place;
    }
  return neighbours;
}

void DescentSearch::refine() {
  for (double before = 0; before != best_.score && !isDone();) {
    before = best_.score;
    evaluate(neighbours(best_.point));
  }
}

/// The neighbours of all of the elite, of the best first.
void DescentSearch::expand() {
  while (!isDone()) {
    const auto next = std::ranges::find_if(
        elite_, [&](const Scored &scored) { return !expanded_.contains(scored.point); });
    if (next == elite_.end())
      return;
    expanded_.insert(next->point);
    evaluate(neighbours(next->point));
  }
}

Point DescentSearch::child() {
  // Better parents are chosen more often.
  const auto parent = [&]() -> const Point & {
    return elite_[std::min(below(elite_.size()), below(elite_.size()))].point;
  };
  Point point = parent();
  const Point &other = parent();
  if (below(2) == 0)
    for (const Group &group : groups_)
      if (below(2) == 0)
        for (size_t axis : group)
          point[axis] = other[axis];
  for (uint64_t changes = below(3) + 1; changes-- > 0;) {
    const Group &group = groups_[below(groups_.size())];
    const size_t axis = group[below(group.size())];
    point[axis] = below(ascending_[axis].size());
  }
  return point;
}

void DescentSearch::evolve() {
  // A space that was evaluated completely has no new children.
  for (size_t barren = 0; barren < 50 && !isDone() && !groups_.empty();) {
    std::vector<Point> generation;
    for (size_t i = 0; i < childrenAtOnce; ++i)
      generation.push_back(child());
    const double before = best_.score;
    const int64_t spent = spent_;
    evaluate(generation);
    barren = spent_ == spent ? barren + 1 : 0;
    if (best_.score < before)
      expand();
  }
}

std::vector<Point> DescentSearch::run() {
  evaluate({space_.defaultPoint(shape_)});
  // If the default is not legal, the search starts at any legal point.
  for (size_t tries = 0; tries < 1000 && elite_.empty() && !isDone(); ++tries) {
    Point point = space_.defaultPoint(shape_);
    for (size_t axis = 0; axis < point.size(); ++axis)
      point[axis] = below(ascending_[axis].size());
    evaluate({point});
  }
  if (elite_.empty())
    return evaluated_;
  sample();
  descend();
  expand();
  evolve();
  return evaluated_;
}

} // namespace mmk::tune
