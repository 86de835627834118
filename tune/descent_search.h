// The search of a space that is too large to count completely.
#pragma once

#include "schedule/directive.h"
#include "tune/bound.h"
#include "tune/evaluator.h"
#include "tune/floors.h"
#include "tune/objective.h"

#include <map>
#include <random>

namespace mmk::tune {

/// Block coordinate descent at one shape, then an evolutionary search. From the default and a
/// sample on, each group of directives that share a memory is tried in all combinations, long axes
/// coarsely at first, until no group improves the time; then the neighbours of the best are tried,
/// crossed and mutated.
///
/// The same points in the same order for the same space, seed and budget, with any number of
/// workers and any database: it learns from its own points alone.
class DescentSearch {
public:
  DescentSearch(const Space &space, Evaluator &evaluator, size_t shape, const Objective &objective,
                uint64_t seed, int64_t budget, const Floors *floors = nullptr);

  /// Fewer variants where the default is long: half of the budget where it has so many cycles, and
  /// at least `least`.
  void shortenFor(double cyclesOfHalf, int64_t least) {
    cyclesOfHalf_ = cyclesOfHalf;
    leastBudget_ = least;
  }

  /// All points that it has evaluated.
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

  SearchGroup groupOf(std::string_view key) const;
  void makeGroups();
  bool isDone() const { return spent_ >= budget_ || evaluator_.stopped(); }
  /// Evaluates those that are new and can win; keeps the best.
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
  int64_t budget_, spent_ = 0, leastBudget_ = 0;
  double cyclesOfHalf_ = 0; ///< 0: the budget is that for all
  Bounds bound_;
  const Floors *floors_; ///< may be null
  std::vector<Group> groups_;
  Group output_, reduction_; ///< two of them: those of an output tile, those of a step of depth
  Group loads_;              ///< those of the order of loads
  Group words_;              ///< those without numbers
  std::vector<std::vector<uint16_t>> ascending_; ///< places of each axis by their numbers
  std::set<Point> seen_, expanded_;
  std::vector<Point> evaluated_;
  std::vector<Scored> elite_;                           ///< the best first
  std::map<std::vector<uint16_t>, Scored> bestOfWords_; ///< by their places
  Scored best_;
  std::optional<Measure> reference_;
  std::vector<Point> refused_;
  std::vector<size_t> sizes_; ///< axes whose numbers take memory
};

} // namespace mmk::tune
