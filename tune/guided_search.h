// The search of a space that is too large to be counted whole.
#pragma once

#include "tune/bound.h"
#include "tune/evaluator.h"
#include "tune/objective.h"

#include <map>
#include <random>

namespace mmk::tune {

/// At one shape: from the default and a sample on, groups of directives that share a memory are
/// given each of their combinations in turn, long axes coarsely at first, until no group brings
/// more; then the neighbours of the best are tried, and these are crossed and changed.
///
/// The same points in the same order for the same space, seed and budget, whoever counts them and
/// whatever is known before: it learns from its own points alone.
class GuidedSearch {
public:
  GuidedSearch(const Space &space, Evaluator &evaluator, size_t shape, const Objective &objective,
               uint64_t seed, int64_t budget);

  /// All points that it has asked for.
  std::vector<Point> run();

  /// The best score so far, relative to the default's; and its time.
  double bestMicroseconds() const { return best_.microseconds; }

private:
  struct Scored {
    Point point;
    double score = 0, microseconds = 0;
  };
  /// Axes that are varied together.
  using Group = std::vector<size_t>;

  void makeGroups();
  bool isDone() const { return spent_ >= budget_ || evaluator_.stopped(); }
  /// Asks for those that are new and can win; takes note of the best.
  void evaluate(const std::vector<Point> &points);
  bool isLikelyRefused(const Point &point) const;
  /// Places of an axis to try around one: all of a short axis, of a long one those `stride` away
  /// and a few spread over it.
  std::vector<uint16_t> places(size_t axis, uint16_t around, size_t stride) const;
  void fitSteps(Point &point) const;
  std::vector<Point> combinations(const Group &group, const Point &around, size_t stride);
  void sample();
  void descend();
  void beam(const Group &group);
  std::vector<Point> neighbours(const Point &point) const;
  void refine();
  void expand();
  void evolve();
  Point child();
  uint64_t below(uint64_t limit) { return random_() % limit; }

  const Space &space_;
  Evaluator &evaluator_;
  size_t shape_;
  Objective objective_;
  std::mt19937_64 random_;
  int64_t budget_, spent_ = 0;
  Bounds bound_;
  std::vector<Group> groups_;
  Group output_, reduction_; ///< two of them: those of an output tile, those of a step of depth
  Group feed_;               ///< those of what is loaded when
  Group ways_;               ///< those without numbers
  std::vector<std::vector<uint16_t>> ascending_; ///< places of each axis by their numbers
  std::set<Point> seen_, expanded_;
  std::vector<Point> asked_;
  std::vector<Scored> elite_;                          ///< the best first
  std::map<std::vector<uint16_t>, Scored> bestOfWays_; ///< by their places
  Scored best_;
  std::optional<Measure> reference_;
  std::vector<Point> refused_;
  std::vector<size_t> sizes_; ///< axes whose numbers take memory
};

} // namespace mmk::tune
