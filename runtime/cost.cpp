#include "runtime/cost.h"

#include <algorithm>
#include <cmath>

namespace mmk {

int64_t Cost::fixed(double cycles, double most) {
  return std::llround(std::min(cycles, most) * one);
}

// No memory takes more than 1024 cycles a byte; beyond it a sum could overflow.
Cost::Cost(double startup, double perRow, double perUnit, double waiting)
    : startup_(fixed(startup, 1e9)), perRow_(fixed(perRow, 1e6)), perUnit_(fixed(perUnit, 1024)),
      waiting_(fixed(waiting, 1024)) {}

Cost productCost(const Machine &machine, ElementType operands) {
  const double step =
      static_cast<double>(machine.cube.m * machine.cube.n * machine.cube.depth.at(operands));
  return Cost(machine.cube.startupCycles, 0, step / machine.cube.macsPerCycle.at(operands));
}

Cost vectorCost(const Machine &machine, const std::string &operation) {
  const VectorCost &figures = machine.vector.at(operation);
  return Cost(figures.fixed, 0, figures.perElement);
}

} // namespace mmk
