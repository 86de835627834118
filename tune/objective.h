// The objective of a search: the least time, on-chip memory, traffic to global memory, or all at
// once.
#pragma once

#include "store/result.h"

#include "llvm/Support/Error.h"

namespace mmk::tune {

/// A weight for each goal: variants are ranked by the product of their figures, each relative to
/// the default variant's and raised to its weight, so that weights have no unit. Time alone by
/// default.
struct Objective {
  double time = 1, memory = 0, traffic = 0;
  bool isPareto = false; ///< report the whole front; ranked by time

  /// "time", "memory", "traffic", "time=1,memory=0.2", "pareto". The error says what is legal.
  static llvm::Expected<Objective> parse(const std::string &text);

  /// The lower the better; 1 for the reference itself.
  double score(const Measure &measure, const Measure &reference) const;
  /// Whether only the least time is wanted, so that a bound on it rules a variant out.
  bool isBestTime() const { return memory == 0 && traffic == 0 && !isPareto; }
};

/// Marks the Pareto front: variants that no other dominates.
void markFront(std::vector<VariantResult> &variants);

} // namespace mmk::tune
