// Redundant flags and coarse barriers, with the cycles that they cost.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"

#include "llvm/Support/Error.h"

namespace mmk {

/// Remarks each flag, and each barrier, of the kernel that orders more than its hazards need, with
/// what the kernel would save without it at these dimensions (see countKernel): both are counted.
/// The synchronisation must be right, as aicore-verify-sync proves it. The error is that of
/// counting.
llvm::Error remarkSyncCost(aicore::KernelOp kernel, const Machine &machine,
                           llvm::ArrayRef<int64_t> dims);

/// The pass aicore-sync-cost, for mmk-opt: the remarks for all kernels of a module, on a machine
/// and at dimensions that its options give.
void registerSyncCostPass();

} // namespace mmk
