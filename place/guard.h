// The conditions of a row group's reductions, as far as they are linear in positions: what part of
// the reduced dimensions they leave.
#pragma once

#include "passes/compare_integers.h"
#include "passes/conditions/form.h"
#include "place/row_program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <vector>

namespace mmk {

/// The condition of an element.
struct Guard : LinearCondition {
  mlir::Value masked;  ///< the element where the condition holds, else the identity
  mlir::Value element; ///< the element itself
};

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
