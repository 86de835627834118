// The search of a space that is too large to count completely: the closed form of the time ranks
// what is counted.
#pragma once

#include "tune/evaluator.h"
#include "tune/floors.h"
#include "tune/form_error.h"
#include "tune/moves.h"
#include "tune/objective.h"

#include <map>

namespace mmk::tune {

/// At one shape, from the default on: variants near the best so far, and variants drawn at
/// random, are ranked by the closed form, and the best few of them are counted; again and again.
/// The closed form is right within some percent, and more exact of the difference of two variants
/// that are alike, so that what is counted corrects it, and gives the score of other objectives.
///
/// The same points in the same order for the same space, seed and limits, with any number of
/// workers and any database.
class RankedSearch {
public:
  /// What may be counted. The effort is that of all of them, in steps that are counted: it is
  /// much where tiles are many. It does not limit the first `fewest` variants, and the next up to
  /// `few` by a half.
  struct Limits {
    int64_t variants = 0;
    double effort = 0;
    int64_t fewest = 0, few = 0;
  };
  RankedSearch(const Kernel &kernel, const Space &space, Evaluator &evaluator, const Floors &floors,
               const Dims &dims, size_t shape, const Objective &objective, uint64_t seed,
               const Limits &limits);

  /// All points that it has evaluated.
  std::vector<Point> run();

  /// The time of the best so far.
  double bestMicroseconds() const { return elite_.empty() ? 0 : elite_.front().microseconds; }

private:
  struct Scored {
    Point point;
    double score = 0; ///< of the objective, the default's cycles for the default
    double microseconds = 0;
  };
  /// A point that was not counted yet.
  struct Trial {
    Point point;
    double form = 0;     ///< cycles by the closed form
    double expected = 0; ///< score
    double rank = 0;     ///< the least first
  };

  bool isDone() const;
  double compileEffort(const Point &point) const;
  Point tilesOf(const Point &point) const;
  void propose(const Point &point, std::vector<Trial> &trials);
  double rankOf(const Trial &trial) const;
  std::vector<Trial> proposals(size_t draws);
  void improve(std::vector<Trial> &trials);
  std::vector<Point> takeBest(std::vector<Trial> &trials, size_t most);
  void count(const std::vector<Point> &points);
  void keep(const Scored &scored);
  const Scored &parent();

  const Space &space_;
  Evaluator &evaluator_;
  const Floors &floors_;
  size_t shape_;
  Objective objective_;
  Limits limits_;
  Moves moves_;
  int64_t products_;             ///< of the kernel
  std::vector<size_t> copies_;   ///< axes of copies of buffers
  std::vector<size_t> lengths_;  ///< axes of tiles
  std::optional<size_t> panels_; ///< the axis of panels that are kept
  int64_t spent_ = 0;
  double effort_ = 0;
  FormError error_;
  Refusals refusals_;               ///< of its own points alone
  std::set<Point> seen_, proposed_; ///< counted; in the current generation
  /// Variants that were counted, by what the form says, and by their tiles.
  std::map<double, size_t> countedOfForm_;
  std::map<Point, size_t> countedOfTiles_;
  std::vector<Point> evaluated_;
  std::vector<Scored> elite_;        ///< the best first
  std::optional<Measure> reference_; ///< the first that was counted
};

} // namespace mmk::tune
