// What orders more than the hazards of a phase need: flags that are redundant, barriers that are,
// and barriers of all pipes where flags between a few of them would do.
#pragma once

#include "ir/aicore.h"

#include "mlir/IR/IRMapping.h"

#include <string>
#include <utility>
#include <vector>

namespace mmk::sync {

struct NeedlessSync {
  using Order = std::pair<aicore::Pipe, aicore::Pipe>; ///< the second waits for the first

  std::vector<mlir::Operation *> at;      ///< the waits, or the barrier: what a remark is about
  std::vector<mlir::Operation *> without; ///< these can go ...
  std::vector<Order> instead;             ///< ... when flags do this in the place of a barrier

  /// "redundant: without this wait and its set, every hazard is still in order"
  std::string text() const;
  /// Does so in a copy of the kernel. False when the machine has too few events for it.
  bool apply(mlir::IRMapping &copy, aicore::MachineAttr machine) const;
};

/// Of a phase whose synchronisation is right. In the order of the program.
std::vector<NeedlessSync> needlessSync(aicore::PhaseOp phase);

} // namespace mmk::sync
