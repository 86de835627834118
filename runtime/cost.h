// What one instruction costs on its pipe, from the figures of a machine.
#pragma once

#include "machines/machine.h"

#include <algorithm>
#include <cstdint>

namespace mmk {

/// Cycles = startup + max(rows * perRow, amount * perUnit) + amount * waiting, rounded up once: the
/// request of a row overlaps with the transfer of earlier rows. `waiting`: contention with other
/// cores, on top. In fixed point, so that a cost does not depend on the order of the host's
/// floating-point operations. An excess below 1/1024 cycle is the rounding of the figures and adds
/// no cycle.
class Cost {
public:
  Cost() = default;
  Cost(double startup, double perRow, double perUnit, double waiting = 0);

  int64_t cycles(int64_t rows, int64_t amount) const {
    const int64_t time = startup_ + std::max(rows * perRow_, amount * perUnit_) + amount * waiting_;
    return (time + one - 1 - slack) >> bits;
  }

private:
  static constexpr unsigned bits = 30;
  static constexpr int64_t one = int64_t(1) << bits, slack = one >> 10;
  static int64_t fixed(double cycles, double most);

  int64_t startup_ = 0, perRow_ = 0, perUnit_ = 0, waiting_ = 0;
};

/// Of a matrix instruction, by the steps of its cube: blocks of m x n x depth that it takes.
Cost productCost(const Machine &machine, ElementType operands);

/// Of a vector instruction, one of `vectorOperations()`, by its elements.
Cost vectorCost(const Machine &machine, const std::string &operation);

} // namespace mmk
