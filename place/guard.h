// The conditions of a row group's reductions, as far as they are linear in positions: what part of
// the reduced dimensions they leave.
#pragma once

#include "passes/compare_integers.h"
#include "place/row_program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <vector>

namespace mmk {

/// A number that is linear in the position: a constant, and a sum of factors times positions along
/// dimensions of the space, scalars of the kernel, and integers that the group reads.
struct PositionForm {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>> positions;   ///< dimension of the space, factor
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> scalars; ///< with their factors
  /// Numbers of inputs that are the same for all reduced elements, with their factors.
  llvm::SmallVector<std::pair<unsigned, int64_t>> inputs;

  int64_t factorOf(int64_t dim) const;
};

/// An element counts only where each of these is at least 0. A condition may have parts that are
/// not linear: then these hold for more elements than it does.
struct Guard {
  std::vector<PositionForm> atLeastZero;
  /// Sums with elements or scalars in i32, which wrap: where one leaves 32 bits, nothing is known.
  std::vector<PositionForm> sums;
  bool isExact = false; ///< whether `atLeastZero` is the whole condition
  mlir::Value masked;   ///< the element where the condition holds, else the identity
  mlir::Value element;  ///< the element itself
};

/// The selection of an element where a condition holds, else of the identity; null for another
/// value.
mlir::arith::SelectOp selectionOf(mlir::Value element, mlir::TypedAttr identity);

/// The condition of a reduction; nothing for one without, or where no part of it is linear.
std::optional<Guard> guardOf(RowProgram &program, const RowReduction &reduction);

/// An output that is a constant where a condition does not hold.
struct GuardedOutput {
  Guard guard;
  mlir::arith::SelectOp select;
  llvm::SmallVector<mlir::Operation *> conversions; ///< behind the selection, in order
};
std::optional<GuardedOutput> guardOf(RowProgram &program, const RowOutput &output);

} // namespace mmk
