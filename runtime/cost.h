// What one instruction costs on its pipe, from the figures of a machine.
#pragma once

#include "machines/machine.h"

#include <cstdint>

namespace mmk {

/// Cycles = startup + rows * perRow + amount * perUnit, rounded up once. In fixed point, so that a
/// cost does not depend on how the host's compiler arranges floating point. What exceeds a whole
/// cycle by less than 1/1024 is the rounding of the figures, and no cycle more.
class Cost {
public:
  Cost() = default;
  Cost(double startup, double perRow, double perUnit);

  int64_t cycles(int64_t rows, int64_t amount) const {
    return (startup_ + rows * perRow_ + amount * perUnit_ + one - 1 - slack) >> bits;
  }

private:
  static constexpr unsigned bits = 30;
  static constexpr int64_t one = int64_t(1) << bits, slack = one >> 10;
  static int64_t fixed(double cycles);

  int64_t startup_ = 0, perRow_ = 0, perUnit_ = 0;
};

/// Where the far end of a transfer lies.
enum class Traffic {
  onChip,
  workspace, ///< global memory that the same block has just written: it is still in L2
  tensor     ///< global memory
};

/// Global memory as the blocks of one phase see it: how fast, and in what pieces. The sharing is
/// static: each active block has an equal part of the chip's rate, and on vector cores an equal
/// part of its block's. Whatever else global memory does to a transfer (L2, contention) belongs
/// here.
class GlobalMemory {
public:
  GlobalMemory(const Machine &machine, int64_t activeBlocks);

  /// Cost of a transfer by its rows and its bytes.
  Cost transfer(const Link &link, Traffic traffic, bool onVectorCore) const;

  /// Bytes that a piece of contiguous memory is charged as: whole packets, where the last may be a
  /// half or a quarter of one.
  int64_t charged(int64_t bytes) const {
    const int64_t rest = bytes % packet_, whole = bytes - rest;
    if (rest == 0)
      return whole;
    return whole + (4 * rest <= packet_   ? packet_ / 4
                    : 2 * rest <= packet_ ? packet_ / 2
                                          : packet_);
  }

private:
  double blockBytesPerCycle_, l2BytesPerCycle_;
  int64_t vectorCores_, packet_;
};

/// Cost of one matrix instruction by the steps of its cube: blocks of m x n x depth that it takes.
Cost productCost(const Machine &machine, ElementType operands);

/// Cost of a vector instruction, one of `vectorOperations()`, by its elements.
Cost vectorCost(const Machine &machine, const std::string &operation);

} // namespace mmk
