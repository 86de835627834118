// Conditions as comparisons of integers, all of which have to hold.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mmk {

/// Calls `part` for each of the comparisons of integers of which all have to hold: `large` is at
/// least `small`, or with `isStrict` more. Whether they are the whole condition, and `part` took
/// each.
bool forEachComparison(
    mlir::Value condition,
    llvm::function_ref<bool(mlir::Value large, mlir::Value small, bool isStrict)> part);

} // namespace mmk
