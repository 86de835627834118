// What one instruction costs on its pipe, from the figures of a machine.
#pragma once

#include "machines/machine.h"

#include <algorithm>
#include <cstdint>

namespace mmk {

/// Cycles = startup + max(rows * perRow, amount * perUnit), rounded up once: a row is asked for
/// while the bytes of those before still move. When a part of the amount has a slow way, that part
/// takes at least the time of the way. In fixed point, so that a cost does not depend on how the
/// host's compiler arranges floating point. What exceeds a whole cycle by less than 1/1024 is the
/// rounding of the figures, and no cycle more.
class Cost {
public:
  Cost() = default;
  struct SlowWay {
    double part = 0; ///< of the amount that takes it, 0 to 1
    double perUnit = 0;
  };
  Cost(double startup, double perRow, double perUnit, SlowWay slow = {0, 0});

  int64_t cycles(int64_t rows, int64_t amount) const {
    const int64_t fast = std::max(rows * perRow_, amount * perUnit_);
    int64_t time = startup_ + fast;
    if (slowPart_ > 0 && amount * perSlowUnit_ > fast)
      time += ((amount * perSlowUnit_ - fast) >> partBits) * slowPart_;
    return (time + one - 1 - slack) >> bits;
  }

private:
  static constexpr unsigned bits = 30, partBits = 12;
  static constexpr int64_t one = int64_t(1) << bits, slack = one >> 10;
  static int64_t fixed(double cycles, double most);

  int64_t startup_ = 0, perRow_ = 0, perUnit_ = 0, perSlowUnit_ = 0, slowPart_ = 0;
};

/// Of a matrix instruction, by the steps of its cube: blocks of m x n x depth that it takes.
Cost productCost(const Machine &machine, ElementType operands);

/// Of a vector instruction, one of `vectorOperations()`, by its elements.
Cost vectorCost(const Machine &machine, const std::string &operation);

} // namespace mmk
