// The search on the host, where time is wall time: a model of the work selects candidates, and
// successive halving drops the slower half of them after each round of runs.
#pragma once

#include "tune/evaluator.h"
#include "tune/halving.h"
#include "tune/verifier.h"

namespace mmk::tune {

class HostSearch {
public:
  /// `most`: variants to compile. Times are added to `known`, and to the store, if any.
  HostSearch(const Kernel &kernel, const Space &space, Evaluator &evaluator, Verifier &verifier,
             Known &known, Store *store, const RunShape &shape, size_t number, uint64_t seed,
             int64_t most)
      : kernel_(kernel), space_(space), evaluator_(evaluator), verifier_(verifier), known_(known),
        store_(store), shape_(shape), number_(number), seed_(seed), most_(most) {}

  /// The default, and the variants of the last round that are faster beyond the machine's noise.
  /// The error is a bug of mmk.
  llvm::Expected<std::vector<Point>> run();

  /// The work of a variant relative to the least possible (1): elements that its tiles compute
  /// beyond the edges, and threads that wait for the last tile.
  double model(const Point &point) const;

private:
  struct Candidate {
    Point point;
    int32_t variant;
    double microseconds = 0;
  };
  std::vector<Point> promising() const;
  /// The most promising legal points, the default first.
  std::vector<Candidate> candidates();
  /// Microseconds, which are stored.
  llvm::Expected<double> time(const Candidate &candidate, int runs);
  /// Compares those of the last round with the first, the reference, and keeps those that are
  /// faster by a test; the others count as no faster.
  llvm::Expected<std::vector<Point>> settle(const std::vector<Candidate> &candidates,
                                            llvm::ArrayRef<Timed> timed);
  void setTime(int32_t variant, double microseconds);
  void keep(int32_t variant, const Measure &measure);

  const Kernel &kernel_;
  const Space &space_;
  Evaluator &evaluator_;
  Verifier &verifier_;
  Known &known_;
  Store *store_;
  const RunShape &shape_;
  size_t number_; ///< of the shape
  uint64_t seed_;
  int64_t most_;
};

} // namespace mmk::tune
