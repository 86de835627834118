// Branch and bound over a whole space: every point is counted, or its lower bound is no better than
// a counted time.
#pragma once

#include "tune/bound.h"
#include "tune/evaluator.h"
#include "tune/floors.h"
#include "tune/projection.h"
#include "tune/subspace.h"

#include "llvm/ADT/DenseSet.h"

namespace mmk::tune {

/// All points at once: a point whose lower bound cannot beat the best time at any shape is pruned.
/// Of points that would give the same bounds, one is counted first, as it may prune the others.
///
/// The database is used before anything is counted, so that a space with one more alternative
/// evaluates the new points alone.
class BoundedSearch {
public:
  /// Called during the search, with how many points are decided, and of how many.
  using Watch = std::function<void(int64_t done, int64_t all)>;

  /// `decided`: points to be left out; may be null. All outlive it.
  BoundedSearch(const Space &space, Evaluator &evaluator, const Known &known, size_t shapes,
                const Floors &floors, const Subspace *decided = nullptr);

  /// Learns from points that were evaluated already, so that it begins with the best of them.
  void learn(llvm::ArrayRef<Point> points);
  /// Searches the whole space, unless it would count more than `most` variants or is stopped.
  /// Returns whether all points are decided.
  bool run(int64_t most, const Watch &watch);

  /// The points that may exist, less those left out, are measured, bounded or refused; the measured
  /// in the order of their evaluation, with those known before.
  int64_t points() const { return points_; }
  const std::vector<Point> &measured() const { return measured_; }
  int64_t bounded() const { return bounded_; } ///< not measured, as they cannot win
  int64_t refused() const { return refused_; } ///< that do not fit the machine

private:
  using Pending = std::vector<Point>;

  /// Returns whether anything is known of it.
  bool learn(const Point &point);
  void prune(Point point);
  /// Whether a point is known not to be legal.
  bool isRefused(const Point &point) const;
  /// Shapes at which a point may yet be the best.
  Evaluator::Shapes open(const Point &point) const;
  /// Evaluates some of them, and returns those that may be pruned.
  Pending round(Pending pending, int64_t most, const Watch &watch);

  const Space &space_;
  Evaluator &evaluator_;
  const Known &known_;
  const Floors &floors_;
  const Subspace *decided_;
  Projection number_;                ///< of a point
  llvm::DenseSet<uint64_t> learned_; ///< their numbers
  Bounds bounds_;
  std::vector<int64_t> best_; ///< cycles
  std::vector<Point> measured_;
  int64_t points_ = 0, bounded_ = 0, refused_ = 0;
};

} // namespace mmk::tune
