// Synchronisation beyond the hazards of a phase: redundant flags, redundant barriers, and barriers
// of all pipes where flags between a few of them are enough.
#pragma once

#include "ir/aicore.h"

#include "mlir/IR/IRMapping.h"

#include <string>
#include <utility>
#include <vector>

namespace mmk::sync {

struct NeedlessSync {
  using Order = std::pair<aicore::Pipe, aicore::Pipe>; ///< the second waits for the first

  std::vector<mlir::Operation *> at;      ///< the waits, or the barrier, for a remark
  std::vector<mlir::Operation *> without; ///< these can go ...
  std::vector<Order> instead;             ///< ... when these flags replace a barrier

  /// "redundant: without this wait and its set, every hazard is still in order"
  std::string text() const;
  /// Applies it to a copy of the kernel. False when the machine has too few events for it.
  bool apply(mlir::IRMapping &copy, aicore::MachineAttr machine) const;
};

/// All of a phase whose synchronisation is right, in program order.
std::vector<NeedlessSync> needlessSync(aicore::PhaseOp phase);

} // namespace mmk::sync
