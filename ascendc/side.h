// The part of a kernel that one kind of core runs: the cube core of a block, or each of its vector
// cores. Or what the host does before it starts the kernel.
#pragma once

#include "ir/aicore.h"

#include "llvm/ADT/DenseMap.h"

namespace mmk::ascendc {

/// Scalar code, which every core computes as far as it needs it.
bool isScalarCode(mlir::Operation *op);

class Side {
public:
  explicit Side(aicore::Unit unit) : unit_(unit) {}
  /// The host, which allocates the tensors between the passes.
  static Side host() { return Side(std::nullopt); }

  std::optional<aicore::Unit> unit() const { return unit_; }
  bool isHost() const { return !unit_; }
  /// Whether these cores run an operation, one inside of it, or, for a buffer, one that uses it.
  bool has(mlir::Operation *op);

private:
  explicit Side(std::nullopt_t) {}
  bool finds(mlir::Operation *op);

  std::optional<aicore::Unit> unit_;
  llvm::DenseMap<mlir::Operation *, bool> known_;
};

} // namespace mmk::ascendc
