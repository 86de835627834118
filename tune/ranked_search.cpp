#include "tune/ranked_search.h"

#include "frontend/numbers.h"
#include "schedule/directive.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mmk::tune {
namespace {

/// The fastest variants that are changed; of the same tiles, few, or all would soon be the same.
constexpr size_t elites = 24, elitesOfTiles = 3;
/// Variants that are counted at once, and at the start.
constexpr size_t generation = 8, firstGeneration = 24;
/// Points that are ranked for a generation: the neighbours of so many, so many children, and so
/// many that are drawn, at first and later.
constexpr size_t parents = 4, children = 150, firstDraws = 1000, laterDraws = 40;
/// Times that the best of the ranked are changed again before any is counted.
constexpr size_t rounds = 4, improved = 32, changes = 4;

/// Steps that are counted while a usual variant is compiled.
constexpr double usualCompile = 1 << 11;
/// The share of that until a variant is found not to fit.
constexpr double refusal = 0.5;
/// What counts of the effort until a few variants are counted.
constexpr double fewShare = 0.5;
/// Compiled, also those that do not fit, for each that may be counted.
constexpr int64_t mostSeen = 3;
/// What has to be expected of a variant to be counted in place of another: this much less time for
/// each usual compile that it takes longer, for each variant of the same form, and for each of the
/// same tiles that was counted already.
constexpr double gainOfCompile = 0.008, gainOfForm = 0.01, gainOfTiles = 0.008;

} // namespace

RankedSearch::RankedSearch(const Kernel &kernel, const Space &space, Evaluator &evaluator,
                           const Floors &floors, const Dims &dims, size_t shape,
                           const Objective &objective, uint64_t seed, const Limits &limits)
    : space_(space), evaluator_(evaluator), floors_(floors), shape_(shape), objective_(objective),
      limits_(limits), moves_(kernel, space, dims, seed),
      products_(std::ranges::count_if(
          kernel.values, [](const auto &it) { return it->operation == Operation::product; })),
      panels_(space.axisOf("keep")), error_(space), refusals_(space) {
  for (size_t i = 0; i < space.axes().size(); ++i) {
    const DirectiveTraits &directive = *findDirective(space.axes()[i].key);
    if (directive.index == DirectiveIndex::buffer)
      copies_.push_back(i);
    if (directive.isLength && !isOf(space.axes()[i].key, "stage"))
      lengths_.push_back(i);
  }
}

bool RankedSearch::isDone() const {
  const double share = spent_ < limits_.few ? fewShare : 1;
  return spent_ >= limits_.variants ||
         (std::ssize(seen_) >= limits_.fewest && effort_ * share >= limits_.effort) ||
         std::ssize(seen_) / mostSeen >= limits_.variants || evaluator_.stopped();
}

/// Which flags others imply is found by following the program for as many iterations as all buffers
/// have copies together, and with a panel that is kept, or several products, in more than one loop.
double RankedSearch::compileEffort(const Point &point) const {
  int64_t period = 2;
  for (size_t axis : copies_)
    period = std::lcm(period, parseInteger(space_.axes()[axis].words[point[axis]]).value_or(1));
  const bool keeps = panels_ && space_.axes()[*panels_].words[point[*panels_]] != "none";
  const auto times = static_cast<double>(period) / 2;
  return usualCompile * static_cast<double>(std::max<int64_t>(1, products_)) *
         (keeps || products_ > 1 ? std::pow(times, 2.5) : std::sqrt(times));
}

Point RankedSearch::tilesOf(const Point &point) const {
  Point tiles;
  for (size_t axis : lengths_)
    tiles.push_back(point[axis]);
  return tiles;
}

/// Adds a point that is new and may win.
void RankedSearch::propose(const Point &point, std::vector<Trial> &trials) {
  if (seen_.contains(point) || proposed_.contains(point) || !space_.mayExist(point) ||
      refusals_.cover(point))
    return;
  const auto floor = floors_.cycles(point, shape_);
  if (!floor || (objective_.isBestTime() && static_cast<double>(*floor) >= elite_.front().score))
    return;
  proposed_.insert(point);
  const double form = floors_.predicted(point, shape_);
  // Where nothing is known, it is as good as the best.
  Trial trial{point, form, form > 0 ? form * error_.ratioOf(point) : elite_.front().score};
  trial.rank = rankOf(trial);
  trials.push_back(std::move(trial));
}

double RankedSearch::rankOf(const Trial &trial) const {
  const auto countOf = [](const auto &counts, const auto &key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0.0 : static_cast<double>(found->second);
  };
  return trial.expected * (1 + gainOfCompile * (compileEffort(trial.point) / usualCompile) +
                           gainOfForm * countOf(countedOfForm_, trial.form) +
                           gainOfTiles * countOf(countedOfTiles_, tilesOf(trial.point)));
}

/// Better ones are chosen more often.
const RankedSearch::Scored &RankedSearch::parent() {
  return elite_[std::min(moves_.below(elite_.size()), moves_.below(elite_.size()))];
}

std::vector<RankedSearch::Trial> RankedSearch::proposals(size_t draws) {
  std::vector<Trial> trials;
  proposed_.clear();
  for (size_t i = 0; i < std::min(parents, elite_.size()); ++i)
    for (const Point &point : moves_.neighbours(elite_[i].point))
      propose(point, trials);
  for (size_t i = 0; i < children; ++i) {
    const Scored &one = parent(), &other = parent();
    propose(moves_.child(one.point, other.point), trials);
  }
  for (size_t i = 0; i < draws; ++i)
    propose(moves_.draw(), trials);
  improve(trials);
  return trials;
}

/// Changes of the best of them, by the form alone.
void RankedSearch::improve(std::vector<Trial> &trials) {
  for (size_t round = 0; round < rounds; ++round) {
    const size_t few = std::min(improved, trials.size());
    std::ranges::stable_sort(trials, {}, &Trial::rank);
    for (size_t i = 0; i < few; ++i)
      for (size_t change = 0; change < changes; ++change) {
        const Trial &one = trials[i], &other = trials[moves_.below(few)];
        propose(moves_.child(one.point, other.point), trials);
      }
  }
}

/// The best, one by one: each counts against those that are like it. In place of the last, one at
/// random: the form may be wrong of a whole region.
std::vector<Point> RankedSearch::takeBest(std::vector<Trial> &trials, size_t most) {
  std::vector<Point> best;
  while (best.size() < most && !trials.empty()) {
    const auto next = std::ranges::min_element(trials, {}, &Trial::rank);
    const double now = rankOf(*next);
    if (now > next->rank) {
      next->rank = now;
      continue;
    }
    ++countedOfForm_[next->form];
    ++countedOfTiles_[tilesOf(next->point)];
    best.push_back(std::move(next->point));
    trials.erase(next);
  }
  if (!trials.empty() && best.size() > 1)
    best.back() = std::move(trials[moves_.below(trials.size())].point);
  return best;
}

void RankedSearch::count(const std::vector<Point> &points) {
  seen_.insert(points.begin(), points.end());
  evaluator_.evaluate(points, Evaluator::Shapes{shape_});
  for (const Point &point : points) {
    const auto answer = evaluator_.at(point, shape_);
    if (!answer) {
      effort_ += refusal * compileEffort(point);
      if (const auto reason = evaluator_.refusalOf(point))
        refusals_.learn(point, *reason);
      continue;
    }
    ++spent_;
    effort_ += compileEffort(point) + floors_.steps(point, shape_);
    const Measure &measure = *answer->measure;
    if (!reference_)
      reference_ = measure;
    evaluated_.push_back(point);
    const double score =
        static_cast<double>(reference_->cycles) * objective_.score(measure, *reference_);
    if (const double form = floors_.predicted(point, shape_); form > 0)
      error_.learn(point, score / form);
    keep({point, score, measure.microseconds});
  }
}

void RankedSearch::keep(const Scored &scored) {
  const auto place = std::ranges::lower_bound(elite_, scored.score, {}, &Scored::score);
  // Of equal scores, whose differences have no effect, one.
  if (place != elite_.end() && place->score == scored.score)
    return;
  elite_.insert(place, scored);
  size_t alike = 0;
  const Point tiles = tilesOf(scored.point);
  for (auto each = elite_.begin(); each != elite_.end(); ++each)
    if (tilesOf(each->point) == tiles && ++alike > elitesOfTiles) {
      elite_.erase(each);
      break;
    }
  if (elite_.size() > elites)
    elite_.pop_back();
}

std::vector<Point> RankedSearch::run() {
  count({space_.defaultPoint(shape_)});
  // If the default is not legal, the search starts at any legal point.
  for (size_t tries = 0; tries < 1000 && elite_.empty() && !isDone(); ++tries)
    if (const Point point = moves_.draw(); space_.mayExist(point) && !seen_.contains(point))
      count({point});
  for (bool isFirst = true; !elite_.empty() && !isDone(); isFirst = false) {
    std::vector<Trial> trials = proposals(isFirst ? firstDraws : laterDraws);
    const auto left = static_cast<size_t>(std::max<int64_t>(1, limits_.variants - spent_));
    const std::vector<Point> next =
        takeBest(trials, std::min(left, isFirst ? firstGeneration : generation));
    if (next.empty())
      break;
    count(next);
  }
  return evaluated_;
}

} // namespace mmk::tune
