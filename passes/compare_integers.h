// Comparisons of integers: those in a condition, and those of positions.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mmk {

/// Calls `part` for each of the comparisons of integers of which all have to hold: `large` is at
/// least `small`, or with `isStrict` more. Whether they are the whole condition, and `part` took
/// each.
bool forEachComparison(
    mlir::Value condition,
    llvm::function_ref<bool(mlir::Value large, mlir::Value small, bool isStrict)> part);

/// Positions are compared in 64 bits, as they are computed, also with elements of i32.
void compareIntegers(mlir::linalg::GenericOp op);

} // namespace mmk
