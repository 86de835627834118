// Times that a variant cannot beat, from variants that were counted before.
#pragma once

#include "tune/projection.h"
#include "tune/result.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mmk::tune {

/// What a pipe has to do follows from some of the directives: the loads into L1 know nothing of the
/// copies in L0, the vector cores nothing of the depth of a stage. So one counted variant says of
/// all that agree with it in these what they take at the least:
/// - the work of each pipe, without flags, of one block;
/// - the time of that block if data alone held it up (LeastTime), where only copies differ;
/// - the time until its last product is done, of one, and what has to be done with that, of
/// another;
/// - the work of all cores together, dealt evenly to any number of them.
/// All of it is about one shape. tests/unit/tune_bounds_test.cpp holds it against the clock.
class Bounds {
public:
  explicit Bounds(const Space &space);

  /// Takes note of what a point has taken.
  void learn(const Point &point, const std::string &variant, const Measure &measure);
  /// Cycles that the point takes at the least; 0 when nothing is known.
  int64_t cycles(const Point &point) const;
  /// Whether that is more than `limit`, which is found out sooner.
  bool exceed(const Point &point, int64_t limit) const;

  /// What of the point nothing is known of yet: numbers that it shares with the points of which
  /// counting it may tell the same.
  void appendUnknown(const Point &point, std::vector<uint64_t> &names) const;

private:
  /// A figure, and the directives that it follows from.
  struct Aspect {
    using Figure = std::function<int64_t(const Measure &)>;

    Aspect(const Space &space, Figure figure,
           llvm::function_ref<bool(std::string_view key)> matters);

    std::optional<int64_t> at(const Point &point, int64_t cores) const;

    Figure figure;
    Projection key, withoutDealing;
    llvm::DenseMap<uint64_t, int64_t> known;
    /// Where each core has one output tile at most, the walk and more cores change nothing. By the
    /// directives without these: the figure, and how many cores have one.
    llvm::DenseMap<uint64_t, std::pair<int64_t, int64_t>> ofOneTile;
  };
  int64_t coresOf(const Point &point) const;
  int64_t cyclesUpTo(const Point &point, int64_t limit) const;

  std::vector<Aspect> ofAllCores_, ofBlock_, parts_; ///< of parts the sum counts
  size_t coresAxis_;
  std::vector<int64_t> cores_; ///< by place on that axis; one number where there is none
};

} // namespace mmk::tune
