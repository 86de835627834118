// What one instruction costs on its pipe, from the figures of a machine.
#pragma once

#include "machines/machine.h"

#include <algorithm>
#include <cstdint>

namespace mmk {

/// Cycles = startup + max(rows * perRow, amount * perUnit) + amount * waiting, rounded up once: a
/// row is asked for while the bytes of those before still move. `waiting`: for others, on top. In
/// fixed point, so that a cost does not depend on how the host's compiler arranges floating point.
/// What exceeds a whole cycle by less than 1/1024 is the rounding of the figures, and no cycle
/// more.
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
