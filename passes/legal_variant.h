// Whether a variant, all of whose choices are made, is one that this compiler carries out on its
// machine, and that the schedule's rules allow.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"

namespace mmk {

/// An error at the first choice that cannot be carried out, with the nearest that can, or at the
/// first rule that is broken. Rules that hold are taken out of the schedule.
llvm::LogicalResult checkLegal(ir::KernelOp kernel, aicore::MachineAttr machine);

} // namespace mmk
