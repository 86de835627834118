// The part of a kernel that one kind of core runs: the cube core of a block, or each of its vector
// cores.
#pragma once

#include "ir/aicore.h"

#include "llvm/ADT/DenseMap.h"

namespace mmk::ascendc {

class Side {
public:
  explicit Side(aicore::Unit unit) : unit_(unit) {}

  aicore::Unit unit() const { return unit_; }
  /// Whether these cores run an operation, one inside of it, or, for a buffer, one that uses it.
  bool has(mlir::Operation *op);

private:
  bool finds(mlir::Operation *op);

  aicore::Unit unit_;
  llvm::DenseMap<mlir::Operation *, bool> known_;
};

} // namespace mmk::ascendc
