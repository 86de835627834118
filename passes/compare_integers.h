// Comparisons of integers: those in a condition, and those of integers that were converted to f32.
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

/// f32 holds integers up to 2^24; positions and lengths are compared exactly, also with a constant
/// added to one.
void compareIntegers(mlir::linalg::GenericOp op);

} // namespace mmk
