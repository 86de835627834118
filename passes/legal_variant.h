// Checks a variant with all choices made: whether the compiler carries it out on its machine, and
// the schedule's rules allow it.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"

namespace mmk {

/// An error at the first choice that cannot be carried out, with the nearest legal one, or at the
/// first broken rule. Satisfied rules are erased from the schedule.
llvm::LogicalResult checkLegal(ir::KernelOp kernel, aicore::MachineAttr machine);

} // namespace mmk
