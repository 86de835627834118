// Redundant flags and coarse barriers, with the cycles that they cost.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk {

/// A flag or a barrier that orders more than the hazards of the kernel need.
struct SyncCost {
  std::vector<mlir::Operation *> at; ///< the waits, or the barrier
  std::string text;                  ///< "redundant: ...", "coarse: ..."
  /// The cycles that the kernel would save without it; nothing when the machine has too few events
  /// for that.
  std::optional<int64_t> cycles;
};

/// All of them, each with its cost at these dimensions: the kernel is counted with and without it.
/// The synchronisation must be right, as aicore-verify-sync proves it. The error is that of
/// counting.
llvm::Expected<std::vector<SyncCost>> syncCosts(aicore::KernelOp kernel, const Machine &machine,
                                                llvm::ArrayRef<int64_t> dims);

/// The pass aicore-sync-cost, for mmk-opt: the remarks for all kernels of a module, on a machine
/// and at dimensions that its options give.
void registerSyncCostPass();

} // namespace mmk
