// Numbers for flags: events of a pair of pipes within a core, flags between the cores of a block.
// aicore-insert-sync first numbers without a limit, as it removes redundant flags at its end.
#pragma once

#include "ir/aicore.h"

namespace mmk {

/// Flags that belong together, one for each copy of a buffer.
struct EventGroup {
  aicore::AllocOp buffer; ///< whose accesses they order; for messages
  aicore::Unit fromUnit, toUnit;
  aicore::Pipe from, to; ///< of events within a core
  int64_t first = 0;     ///< number of their operations, and of no other group's
  int64_t count = 1;

  bool isCross() const { return fromUnit != toUnit; }
  /// Whether their numbers must differ.
  bool competesWith(const EventGroup &other) const;
};

/// Renumbers, from 0 on and without gaps, the groups that still have operations in the phase. An
/// error at the buffer for which the machine has too few.
llvm::LogicalResult numberEvents(aicore::PhaseOp phase, aicore::MachineAttr machine,
                                 llvm::ArrayRef<EventGroup> groups);

} // namespace mmk
