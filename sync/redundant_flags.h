// Flags and barriers without which every hazard of a phase is still ordered: because they order
// nothing, or because others imply the order. aicore-insert-sync removes them, aicore-verify-sync
// remarks on them.
#pragma once

#include "sync/verify_sync_explorer.h"

#include <vector>

namespace mmk::sync {

/// Operations that are removed together: all sets and waits of a flag, or a set with the wait after
/// it.
using FlagGroup = std::vector<mlir::Operation *>;

/// All flags, each with every set and wait; flags that an operation selects by slot are one group.
std::vector<FlagGroup> wholeFlags(const PhaseModel &program);

/// The redundant ones of these, which can all be removed together.
std::vector<FlagGroup> provenRedundant(const PhaseModel &program,
                                       const std::vector<FlagGroup> &candidates);

/// The redundant ones, which can all be removed together. Every group is tried, and every barrier.
std::vector<FlagGroup> redundantFlags(const PhaseModel &program);

/// The same of a phase in which each flag orders accesses to some buffer, as aicore-insert-sync
/// leaves it: only flags are tried that others may imply, or that are outside of loops. Mostly
/// there are none, and this costs nothing.
std::vector<FlagGroup> impliedFlags(const PhaseModel &program);

} // namespace mmk::sync
