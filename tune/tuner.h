// A search from beginning to end: the variants of one kernel on one machine at several shapes, the
// winners run and compared with the reference.
#pragma once

#include "tune/decided_subspace.h"
#include "tune/evaluator.h"
#include "tune/floors.h"
#include "tune/objective.h"
#include "tune/verifier.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace mmk::tune {

/// none: the default variant alone. quick: a search of few variants. full: the whole space where
/// the budget allows it, else a longer search. random: variants that are drawn at random.
enum class Effort { none, quick, full, random };
enum class CheckMode { none, winner, all };

struct Budget {
  std::optional<int64_t> variants; ///< for each shape
  std::optional<double> seconds;   ///< of counting, for all shapes
};

struct TuneOptions {
  Effort effort = Effort::full;
  Budget budget;
  uint64_t seed = 1;
  Objective objective;
  CheckMode check = CheckMode::winner;
};

/// The progress of a search.
struct TuneProgress {
  std::string doing; ///< "counting", "checking S1"
  int64_t done = 0, all = 0;
  double bestMicroseconds = 0; ///< at the shape that is searched; 0: none yet
  double secondsLeft = 0;      ///< 0: unknown
};

class Tuner {
public:
  using Watch = std::function<void(const TuneProgress &)>;

  /// All outlive it. `known` holds the entries of the store, which may be null.
  Tuner(const Kernel &kernel, const Machine &machine, const Space &space,
        std::vector<RunShape> shapes, const TuneOptions &options, Known &known, Store *store,
        const Floors &floors, Team &team, Verifier &verifier, const std::atomic<bool> &stop);

  TuneResult run(const Watch &watch);

  /// Internal errors of mmk during the search: messages, each with its variant.
  const std::vector<std::string> &bugs() const { return bugs_; }
  /// Why the store failed; empty if it did not.
  const std::string &storeError() const { return evaluator_.storeError; }

private:
  void search();
  void searchWhole();
  std::vector<Point> defaultPoints() const;
  void countDefault(DecidedSubspace &decided);
  void keep(const DecidedSubspace &whole);
  void startDeadline(double share);
  void countAll(const std::vector<Point> &points);
  /// Searches at each shape by itself, with its share of the time.
  void searchEach(const std::string &doing, int64_t all,
                  llvm::function_ref<std::vector<Point>(size_t shape)> search);
  void rank(int64_t most);
  void draw(int64_t draws);
  void time(int64_t most);
  std::optional<std::vector<Point>> pointsThatMayExist(size_t most) const;
  bool mayPrune() const;
  CaseResult resultOf(size_t shape);
  void check(CaseResult &result, size_t shape);
  void checkOne(VariantResult &variant, size_t shape);

  const Kernel &kernel_;
  const Machine &machine_;
  const Space &space_;
  std::vector<RunShape> shapes_;
  TuneOptions options_;
  Known &known_;
  Store *store_;
  Verifier &verifier_;
  const Floors &floors_;
  Evaluator evaluator_;
  std::vector<Point> evaluated_; ///< all points of the search, in its order
  bool isExhaustive_ = false;
  bool isWhole_ = false; ///< points are decided, not only counted
  int64_t points_ = 0, bounded_ = 0;
  std::optional<DecidedSubspace> whole_; ///< the outcome of searchWhole
  int64_t decidedBefore_ = 0;            ///< points of it
  std::vector<std::string> bugs_;
  Watch watch_;
  TuneProgress progress_;
  std::function<double()> bestNow_; ///< of the search that is under way; null: none is
  using Clock = Evaluator::Clock;
  Clock::time_point started_; ///< of the part that progress_ describes
};

} // namespace mmk::tune
