// Conditions on positions, as far as they are linear: what bounds of loops are computed from.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mmk {

/// A number that is linear in the position: a constant, and a sum of factors times positions along
/// dimensions, scalars of the kernel, and integers that are read.
struct PositionForm {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>> positions;   ///< dimension, factor
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> scalars; ///< with their factors
  /// Numbers of inputs that are the same for all reduced elements, with their factors.
  llvm::SmallVector<std::pair<unsigned, int64_t>> inputs;

  int64_t factorOf(int64_t dim) const;
};

/// An element counts only where each of these is at least 0. A condition may have parts that are
/// not linear: then these hold for more elements than it does.
struct LinearCondition {
  std::vector<PositionForm> atLeastZero;
  /// Sums with inputs or scalars in i32, which wrap: where one leaves 32 bits, nothing is known.
  std::vector<PositionForm> sums;
  bool isExact = false; ///< whether `atLeastZero` is the whole condition
};

/// What a value is that is neither constant nor computed from others by +, - or *: a position, a
/// scalar or an input. Nothing where it is none of them.
using LeafForm = llvm::function_ref<std::optional<PositionForm>(mlir::Value)>;

LinearCondition linearConditionOf(mlir::Value condition, LeafForm leaf);

} // namespace mmk
