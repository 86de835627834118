// A measurement held against an earlier one.
#pragma once

#include "print/bench_report.h"

namespace mmk::driver {

/// What is new of one figure of one case.
struct BenchChange {
  std::string title, what;    ///< "S4"; "kernel", "command", "cycles"
  double before = 0, now = 0; ///< medians in milliseconds; or cycles
  double p = 0;               ///< of the rank test; cycles are exact and have none
  bool isExact = false;
  enum class Verdict { same, faster, slower } verdict = Verdict::same;

  double change() const { return now / before - 1; }
};

/// An earlier measurement that the present one may be held against.
struct Baseline {
  std::string file;
  BenchReport report;
  std::vector<std::string> remarks; ///< what else is different
};
/// A UserError when the file is no measurement of this kernel. Times need the same computer, and
/// all figures the same machine: also a UserError, which names each field that is another, unless
/// `isForced`. `now` need not have been measured yet; `isTimed`: whether it will hold times.
Baseline readBaseline(const std::string &file, const BenchReport &now, bool isTimed, bool isForced);

struct BenchComparison {
  std::string file;
  std::vector<BenchChange> changes;
  std::vector<std::string> remarks; ///< those of the baseline, and which cases stand alone

  bool hasSlowDown() const;
};

/// A difference counts when the rank test finds it below this probability of chance, and it is
/// larger than the threshold.
inline constexpr double significance = 0.01;

/// Cases are the same by name and dimensions. `threshold` is a share.
BenchComparison compare(const BenchReport &now, const Baseline &before, double threshold);

std::string text(const BenchComparison &comparison);

} // namespace mmk::driver
