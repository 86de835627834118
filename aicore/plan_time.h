// The time of a plan in closed form: that of its fusion groups, one after the other.
#pragma once

#include "aicore/plan.h"

namespace mmk::aicore {

class PlanTime {
public:
  /// The space outlives it.
  explicit PlanTime(const PlanSpace &space);

  /// What each group waits for global memory; see GroupTime::wait.
  using Waits = std::vector<GroupTime::Waits>;
  Waits waitsOf(const Plan &plan) const;

  /// With these waits. What a group of its own does for elementwise work is priced apart.
  double cycles(const Plan &plan, const Waits &waits) const;
  /// A bound that is cheap to compute.
  double cyclesWithoutWaits(const Plan &plan) const;
  /// Stages of all tiles, or tiles without a product.
  double steps(const Plan &plan) const;
  /// Parts of the reduction of one of the space's groups, which are whole stages.
  int64_t splits(const Plan &plan, const PlanSpace::Group &group) const {
    return times_[&group - space_.groups().data()].splits(space_.tilingOf(plan, group));
  }

  /// Cycles by which the task of a plan that uses cube and vector cores has a larger fixed cost.
  double ofBothKinds(const Plan &plan) const;

private:
  const PlanSpace &space_;
  std::vector<GroupTime> times_; ///< of each group
  /// Of a product and of its elementwise work, where they are groups of their own.
  std::vector<std::pair<GroupWork, GroupWork>> separated_;
  std::vector<GroupTime> productTimes_, elementwiseTimes_;
};

} // namespace mmk::aicore
