// Flags, and barriers, without which every hazard of a phase is still in order: because nothing is
// left to order, or because others imply it. aicore-insert-sync takes them out, aicore-verify-sync
// remarks them.
#pragma once

#include "sync/verify_sync_explorer.h"

#include <vector>

namespace mmk::sync {

/// Operations that make no sense without each other: all sets and waits of a flag, or a set with
/// the wait behind it.
using FlagGroup = std::vector<mlir::Operation *>;

/// All flags: of each, or of those that an operation takes by slot, every set and every wait.
std::vector<FlagGroup> wholeFlags(const PhaseModel &program);

/// Which of these can go, all that are returned at once.
std::vector<FlagGroup> provenRedundant(const PhaseModel &program,
                                       const std::vector<FlagGroup> &candidates);

/// Which can go, all of them at once. Every group is tried, and every barrier.
std::vector<FlagGroup> redundantFlags(const PhaseModel &program);

/// The same of a phase in which each flag orders accesses to some buffer, as aicore-insert-sync
/// leaves it: only flags are tried that others may imply, or that stand outside of loops. Without
/// those, which is mostly so, this costs nothing.
std::vector<FlagGroup> impliedFlags(const PhaseModel &program);

} // namespace mmk::sync
