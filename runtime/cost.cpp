#include "runtime/cost.h"

#include <algorithm>
#include <cmath>

namespace mmk {

// A unit that takes 1024 cycles is as slow as anything; beyond it sums would overflow.
int64_t Cost::fixed(double cycles) { return std::llround(std::min(cycles, 1024.0) * one); }

Cost::Cost(double startup, double perRow, double perUnit)
    : startup_(std::llround(std::min(startup, 1e6) * one)), perRow_(fixed(perRow)),
      perUnit_(fixed(perUnit)) {}

GlobalMemory::GlobalMemory(const Machine &machine, int64_t activeBlocks)
    : blockBytesPerCycle_(machine.hbmBytesPerSecond / (machine.megahertz * 1e6) /
                          std::max<int64_t>(1, activeBlocks)),
      l2BytesPerCycle_(machine.l2BytesPerCycle),
      vectorCores_(machine.topology == Topology::split ? machine.vectorCoresPerCube : 1),
      packet_(std::max<int64_t>(1, machine.packetBytes)) {}

Cost GlobalMemory::transfer(const Link &link, Traffic traffic, bool onVectorCore) const {
  double rate = link.bytesPerCycle;
  const double share = onVectorCore ? blockBytesPerCycle_ / vectorCores_ : blockBytesPerCycle_;
  if (traffic == Traffic::workspace)
    rate = std::min(rate, l2BytesPerCycle_);
  else if (traffic == Traffic::tensor)
    rate = std::min(rate, share);
  return Cost(link.startupCycles, link.rowCycles, 1 / rate);
}

Cost productCost(const Machine &machine, ElementType operands) {
  const auto macs = machine.cube.macsPerCycle.find(operands);
  const auto depth = machine.cube.depth.find(operands);
  if (macs == machine.cube.macsPerCycle.end() || depth == machine.cube.depth.end())
    return Cost();
  const double step = static_cast<double>(machine.cube.m * machine.cube.n * depth->second);
  return Cost(machine.cube.startupCycles, 0, step / macs->second);
}

Cost vectorCost(const Machine &machine, const std::string &operation) {
  const auto found = machine.vector.find(operation);
  return found == machine.vector.end() ? Cost()
                                       : Cost(found->second.fixed, 0, found->second.perElement);
}

} // namespace mmk
