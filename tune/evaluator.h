// The measures of points of the space: from the database where they are known, else by counting.
// New measures are stored.
#pragma once

#include "store/known.h"
#include "store/store.h"
#include "tune/refusals.h"
#include "tune/space.h"
#include "tune/team.h"

#include <chrono>
#include <set>
#include <unordered_set>

namespace mmk::tune {

class Evaluator {
public:
  /// Called during counting; must be quick.
  using Watch = std::function<void()>;

  /// `store` may be null: then nothing is remembered. The others outlive it.
  Evaluator(const Space &space, llvm::ArrayRef<Dims> shapes, Known &known, Store *store, Team &team,
            const std::atomic<bool> &stop);

  using Shapes = std::vector<size_t>; ///< by number
  /// Evaluates these points, each at its shapes.
  void evaluate(llvm::ArrayRef<Point> points, llvm::ArrayRef<Shapes> shapesOf);
  /// All of them at the same shapes.
  void evaluate(llvm::ArrayRef<Point> points, const Shapes &shapes) {
    evaluate(points, std::vector<Shapes>(points.size(), shapes));
  }

  /// Looks up these points, and points equivalent to them, in the database; counts none.
  void recall(llvm::ArrayRef<Point> points);

  /// The variant of a point at a shape, and its measure; nothing where it is not legal, or was not
  /// evaluated. With more cores than have work, it is the variant with as many cores as have.
  struct Answer {
    int32_t variant;
    const Measure *measure;
  };
  std::optional<Answer> at(const Point &point, size_t shape);
  /// Whether there is an answer at any shape.
  bool isMeasured(const Point &point);
  /// Whether a point is known not to be legal.
  bool isRefused(const Point &point) const { return refusals_.cover(point); }
  /// Why it is not legal, of one that is known not to be.
  std::optional<DiagnosticCode> refusalOf(const Point &point) const;
  const std::string &nameOf(const Answer &answer) const { return known_.nameOf(answer.variant); }

  /// Whether to stop: the user interrupted, or the time is over.
  bool stopped() const { return interrupted() || Clock::now() >= deadline; }
  bool interrupted() const { return stop_.load(std::memory_order_relaxed); }

  Watch watch;
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline = Clock::time_point::max();
  int64_t counted = 0, remembered = 0, refused = 0;
  std::vector<std::string> bugs; ///< variants that the compiler or the clock failed at, with why
  std::string storeError;        ///< the first failure of the store

private:
  /// Of the variants that differ in their cores and their order alone: at a shape, how many cores
  /// have work.
  struct Family {
    int64_t cores = 0;
    int32_t variant = Known::Code::none; ///< with so many
    Point point;                         ///< that it was learned from
  };
  struct Task {
    const Point *point;
    std::string request;
    Shapes wanted, shapes; ///< of the wanted ones, those not known yet
  };

  bool isSettled(Task &task);
  bool isKnown(Task &task);
  bool isRefused(const Task &task);
  void take(const Task &task, const Counted &counted);
  void learnCores(const Point &point, int32_t variant, size_t shape, const Measure &measure);
  void keep(const Finding &finding);

  const Space &space_;
  std::vector<Dims> shapes_;
  Known &known_;
  Store *store_;
  Team &team_;
  const std::atomic<bool> &stop_;
  Refusals refusals_;
  std::unordered_set<std::string> countedNow_;                    ///< requests
  std::unordered_map<std::string, std::vector<Family>> families_; ///< by request without these two
};

/// The cores in a variant's name, or 0 when its work does not depend on their number alone.
int64_t coresOf(const std::string &variant);
std::string withCores(const std::string &variant, int64_t cores);

} // namespace mmk::tune
