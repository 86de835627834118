// Bank conflicts of UB. It stands in banks, some to a group; a bank serves one access in a cycle, a
// group one read. A vector instruction takes a few rows of each operand in a cycle, so that two
// operands that it reads at once conflict where their rows are in one group, and one that it reads
// and one that it writes where they are in one bank. Which conflict follows from their offsets.
//
// What a conflict costs is not published, so the clock does not count it.
#pragma once

#include "ir/aicore.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk {

/// How a memory stands in banks.
struct Banks {
  int64_t bankBytes = 0, groups = 0, rowBytes = 0;
  int64_t reserved = 0; ///< bytes before the first buffer

  int64_t groupOf(int64_t address) const { return address / rowBytes % groups; }
  int64_t bankOf(int64_t address) const {
    return groupOf(address) + groups * (address / (groups * bankBytes));
  }
};

/// Nothing when the machine's description says nothing of it.
std::optional<Banks> banksOf(aicore::MachineAttr machine, aicore::Space space);

/// Two operands that a vector instruction touches in the same cycle.
struct OperandPair {
  aicore::VectorOp op;
  aicore::AllocOp first, second;
  bool writesSecond = false;                    ///< else both are read
  bool firstIsRow = false, secondIsRow = false; ///< one row for all rows of the tile
  /// The copy that it touches, of scratch; none: any of them.
  std::optional<int64_t> firstCopy = std::nullopt, secondCopy = std::nullopt;

  bool operator==(const OperandPair &) const = default;
};

/// Of all vector instructions of a phase, masks aside. In place is no pair: an operand goes where
/// it came from.
std::vector<OperandPair> operandPairs(aicore::PhaseOp phase);

/// How many of the instruction's repeats conflict, when the buffers stand at these offsets; the
/// most over their copies.
struct Conflicts {
  int64_t conflicting = 0, repeats = 0;
};
Conflicts conflictsOf(const OperandPair &pair, int64_t firstOffset, int64_t secondOffset,
                      aicore::MachineAttr machine, const Banks &banks);

} // namespace mmk
