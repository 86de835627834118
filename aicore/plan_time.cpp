#include "aicore/plan_time.h"

#include "runtime/clock.h"

namespace mmk::aicore {

PlanTime::PlanTime(const PlanSpace &space) : space_(space) {
  const Machine &machine = space.machine();
  separated_.reserve(space.groups().size()); // the times refer to their work
  for (const PlanSpace::Group &group : space.groups()) {
    times_.emplace_back(group.work, machine);
    separated_.push_back(separate(group.work));
    productTimes_.emplace_back(separated_.back().first, machine);
    elementwiseTimes_.emplace_back(separated_.back().second, machine);
  }
}

PlanTime::Waits PlanTime::waitsOf(const Plan &plan) const {
  Waits waits;
  for (size_t i = 0; i < times_.size(); ++i)
    waits.push_back(times_[i].wait(space_.tilingOf(plan, space_.groups()[i])));
  return waits;
}

double PlanTime::ofBothKinds(const Plan &plan) const {
  const Machine &machine = space_.machine();
  if (machine.topology != mmk::Topology::split || !space_.hasProduct())
    return 0;
  for (size_t i = 0; i < times_.size(); ++i) {
    const PlanSpace::Group &group = space_.groups()[i];
    const GroupTiling tiling = space_.tilingOf(plan, group);
    const bool isSeparate = plan.options.separate && group.work.hasVector;
    if (group.products.empty() || isSeparate || group.work.usesVector(tiling.biasTable) ||
        tiling.splits > 1)
      return static_cast<double>(taskCycles(machine, true) - taskCycles(machine));
  }
  return 0;
}

double PlanTime::cycles(const Plan &plan, const Waits &waits) const {
  double cycles = ofBothKinds(plan);
  for (size_t i = 0; i < times_.size(); ++i) {
    const PlanSpace::Group &group = space_.groups()[i];
    const GroupTiling tiling = space_.tilingOf(plan, group);
    if (!plan.options.separate || group.products.empty() || !group.work.hasVector) {
      cycles += times_[i].cycles(tiling, waits[i]);
      continue;
    }
    cycles += productTimes_[i].cycles(tiling, waits[i]) +
              elementwiseTimes_[i].cycles(space_.separateTiling(plan, group), {});
  }
  return cycles;
}

double PlanTime::cyclesWithoutWaits(const Plan &plan) const {
  double sum = ofBothKinds(plan);
  for (size_t i = 0; i < times_.size(); ++i)
    sum += times_[i].cycles(space_.tilingOf(plan, space_.groups()[i]), {});
  return sum;
}

double PlanTime::steps(const Plan &plan) const {
  double sum = 0;
  for (size_t i = 0; i < times_.size(); ++i)
    sum += times_[i].steps(space_.tilingOf(plan, space_.groups()[i]));
  return sum;
}

} // namespace mmk::aicore
