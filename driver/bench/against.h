// Compares a measurement with an earlier one.
#pragma once

#include "print/bench_report.h"

namespace mmk::driver {

/// The change of one figure of one case.
struct BenchChange {
  std::string title, what;    ///< "S4"; "kernel", "command", "cycles"
  double before = 0, now = 0; ///< medians in milliseconds; or cycles
  double p = 0;               ///< of the rank test; cycles are exact and have none
  bool isExact = false;
  enum class Verdict { same, faster, slower } verdict = Verdict::same;

  double change() const { return now / before - 1; }
};

/// An earlier measurement to compare with.
struct Baseline {
  std::string file;
  BenchReport report;
  std::vector<std::string> remarks; ///< other differences
};
/// A UserError when the file is no measurement of this kernel. Times need the same computer, and
/// all figures the same machine: also a UserError, which names each field that differs, unless
/// `isForced`. `now` need not have been measured yet; `isTimed`: whether it will hold times.
Baseline readBaseline(const std::string &file, const BenchReport &now, bool isTimed, bool isForced);

struct BenchComparison {
  std::string file;
  std::vector<BenchChange> changes;
  std::vector<std::string> remarks; ///< those of the baseline, and the cases of one side only

  bool hasSlowDown() const;
};

/// A difference counts when its p-value in the rank test is below this, and it is larger than the
/// threshold.
inline constexpr double significance = 0.01;

/// Cases are the same by name and dimensions. `threshold` is a share.
BenchComparison compare(const BenchReport &now, const Baseline &before, double threshold);

std::string text(const BenchComparison &comparison);

} // namespace mmk::driver
