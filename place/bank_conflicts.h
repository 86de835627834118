// Bank conflicts of UB. It has banks in groups; a bank serves one access in a cycle, a group one
// read. A vector instruction accesses a few rows of each operand in a cycle. Two operands that it
// reads conflict if their rows are in one group; an operand that it reads and one that it writes
// conflict if they are in one bank. The offsets decide which conflict.
//
// The cost of a conflict is not published, so the clock does not count it.
#pragma once

#include "ir/aicore.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk {

/// The banks of a memory.
struct Banks {
  int64_t bankBytes = 0, groups = 0, rowBytes = 0;
  int64_t reserved = 0; ///< bytes before the first buffer

  int64_t groupOf(int64_t address) const { return address / rowBytes % groups; }
  int64_t bankOf(int64_t address) const {
    return groupOf(address) + groups * (address / (groups * bankBytes));
  }
};

/// Nothing if the machine's description has no banks.
std::optional<Banks> banksOf(aicore::MachineAttr machine, aicore::Space space);

/// Two operands that a vector instruction accesses in the same cycle.
struct OperandPair {
  aicore::VectorOp op;
  aicore::AllocOp first, second;
  bool writesSecond = false;                    ///< else both are read
  bool firstIsRow = false, secondIsRow = false; ///< one row for all rows of the tile
  /// The copy that it accesses, of scratch; none: any of them.
  std::optional<int64_t> firstCopy = std::nullopt, secondCopy = std::nullopt;

  bool operator==(const OperandPair &) const = default;
};

/// The pairs of all vector instructions of a phase, without masks. An operation in place is no
/// pair.
std::vector<OperandPair> operandPairs(aicore::PhaseOp phase);

/// The number of conflicting repeats of the instruction with the buffers at these offsets; the
/// largest over their copies.
struct Conflicts {
  int64_t conflicting = 0, repeats = 0;
};
Conflicts conflictsOf(const OperandPair &pair, int64_t firstOffset, int64_t secondOffset,
                      aicore::MachineAttr machine, const Banks &banks);

} // namespace mmk
