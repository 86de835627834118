// Bounds of a loop from a condition: of the positions along one dimension, those at which some
// element of a tile satisfies it, and those at which all elements do. Parts of the loop outside of
// the first need not be computed, and parts within the second need no mask.
#pragma once

#include "passes/conditions/form.h"

#include "mlir/IR/Builders.h"

namespace mmk {

/// The least and the greatest value of a number over the elements of a tile.
struct Extremes {
  mlir::Value least, greatest;
};

/// Positions from `first` up to `end`, exclusive; null: not known.
struct PositionRange {
  mlir::Value first, end;
};

struct ConditionBounds {
  PositionRange some; ///< elsewhere no element satisfies the condition; within [0, extent]
  PositionRange all;  ///< here every element does: may be beyond the extent; null: nothing is known
};

/// What the numbers of a condition are on a tile. Not of the dimension of the loop.
class TileNumbers {
public:
  virtual ~TileNumbers() = default;
  virtual Extremes ofPosition(int64_t dim) = 0;
  /// The position along the dimension of the loop where the loop begins; null: 0.
  virtual mlir::Value origin() { return {}; }
  /// Of a scalar of the kernel, of any integer type. A larger one lets more positions satisfy the
  /// condition if it is `added`, else fewer.
  virtual mlir::Value ofScalar(mlir::Value scalar, bool isAdded) = 0;
  /// Of an integer that is read; nothing where the scalar unit cannot read it.
  virtual std::optional<Extremes> ofInput(unsigned number) = 0;
};

/// Of a loop over the `extent` positions along `dim`, counted from the origin of the numbers. The
/// bounds are computed once, before the loop, at the builder's place, whatever the numbers are:
/// also where a bound from data is negative or beyond the extent.
ConditionBounds boundsOf(mlir::OpBuilder &b, mlir::Location loc, const LinearCondition &condition,
                         int64_t dim, mlir::Value extent, TileNumbers &numbers);

/// Where some element satisfies one of two conditions.
PositionRange unite(mlir::OpBuilder &b, mlir::Location loc, PositionRange x, PositionRange y);
/// Where all elements satisfy both.
PositionRange intersect(mlir::OpBuilder &b, mlir::Location loc, PositionRange x, PositionRange y);

} // namespace mmk
