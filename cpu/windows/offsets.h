// How far apart the elements are that several taps and rows of a window read: known as numbers of
// indices, so that what two of them read is loaded once.
#pragma once

#include "cpu/dialect.h"

#include <optional>
#include <vector>

namespace mmk {

/// The place of a run, as the sum of strides of its tensor, each times a linear form of positions
/// along the dimensions of the space; and the bounds within which it is there, of such forms.
class RunOffsets {
public:
  /// Nothing where they are not.
  static std::optional<RunOffsets> of(cpu::GatherRunOp run, size_t dims);

  /// Between two places, `moves` away from each other along each dimension of the space.
  struct Distance {
    /// Indices for each of `strides()`, and those between the indices of each of `bounds()`.
    std::vector<int64_t> indices, bounded;
    auto operator<=>(const Distance &) const = default;
  };
  Distance distance(llvm::ArrayRef<int64_t> moves) const;

  /// Scalars of the region; null: one element.
  llvm::ArrayRef<mlir::Value> strides() const { return strides_; }
  /// The run is there where each index is at least 0 and below its extent, a scalar.
  struct Bound {
    mlir::Value index, extent;
  };
  llvm::ArrayRef<Bound> bounds() const { return bounds_; }

private:
  using Form = llvm::SmallVector<int64_t>; ///< factors of the position along each dimension
  class Reader;
  llvm::SmallVector<mlir::Value> strides_;
  llvm::SmallVector<Bound> bounds_;
  llvm::SmallVector<Form> ofStrides, ofBounds;
};

} // namespace mmk
