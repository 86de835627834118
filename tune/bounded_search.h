// The search of a whole space for the least time: every point of it is counted, or known to be no
// better than one that was.
#pragma once

#include "tune/bound.h"
#include "tune/evaluator.h"
#include "tune/projection.h"
#include "tune/shared_part.h"

#include "llvm/ADT/DenseSet.h"

namespace mmk::tune {

/// Branch and bound over all points at once: one that cannot beat the best of any shape, by what
/// was learned from those counted before, is left out. Of points that would teach the same, one is
/// counted first, as it may spare the others.
///
/// What is known from earlier runs is learned from before anything is counted, so that a space with
/// one more alternative asks for the new points alone.
class BoundedSearch {
public:
  /// Called as it goes on, with how many points are decided, and of how many.
  using Watch = std::function<void(int64_t done, int64_t all)>;

  /// `decided`: points to be left out; may be null. All outlive it.
  BoundedSearch(const Space &space, Evaluator &evaluator, const Known &known, size_t shapes,
                const SharedPart *decided = nullptr);

  /// Learns from points that were asked for already, so that it begins with the best of them.
  void learn(llvm::ArrayRef<Point> points);
  /// Looks at everything, unless it would count more than `most` variants or is stopped. Returns
  /// whether all points are decided.
  bool run(int64_t most, const Watch &watch);

  /// The points that may exist, less those left out, are measured, bounded or refused; the measured
  /// in the order in which they were asked for, with those that were known before.
  int64_t points() const { return points_; }
  const std::vector<Point> &measured() const { return measured_; }
  int64_t bounded() const { return bounded_; } ///< not measured, as they cannot win
  int64_t refused() const { return refused_; } ///< that do not fit the machine

private:
  using Pending = std::vector<Point>;

  /// Returns whether anything is known of it.
  bool learn(const Point &point);
  void leaveOut(Point point);
  /// Shapes at which a point may yet be the best.
  Evaluator::Shapes open(const Point &point) const;
  /// Asks for some of them, and leaves those that may be spared.
  Pending round(Pending pending, int64_t most, const Watch &watch);

  const Space &space_;
  Evaluator &evaluator_;
  const Known &known_;
  const SharedPart *decided_;
  Projection number_;                ///< of a point
  llvm::DenseSet<uint64_t> learned_; ///< their numbers
  Bounds bounds_;
  std::vector<int64_t> best_; ///< cycles
  std::vector<Point> measured_;
  int64_t points_ = 0, bounded_ = 0, refused_ = 0;
};

} // namespace mmk::tune
