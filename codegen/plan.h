// The values of a phase that depend on the dimensions only: size and number of tiles, and the
// blocks that have any. Fitting a tile is a chain of divisions, which would take as long as a small
// product; so it is computed once for many calls (runtime/abi.h, PlanFunction).
#pragma once

#include "ir/aicore.h"
#include "runtime/abi.h"

#include "llvm/ADT/SetVector.h"

namespace mmk {

struct PhasePlan {
  explicit PhasePlan(aicore::PhaseOp phase);

  /// Size in words of eight bytes: the fields, then the values.
  size_t size() const { return planFields + values.size(); }

  llvm::SetVector<mlir::Operation *> ops; ///< that the plan computes, in order
  llvm::SmallVector<mlir::Value> values;  ///< those that the rest of the phase reads
  /// When the second block has no work, no later one has any: where tiles are mapped round-robin.
  bool laterBlocksIdleIfSecondIs = true;
};

} // namespace mmk
