// Where the elements of a bound tensor lie in memory.
#pragma once

#include "library/mmk.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace mmk::library {

struct Layout {
  const char *data = nullptr;
  int64_t elementBytes = 1;
  llvm::ArrayRef<int64_t> extents;       ///< of the tensor that was given
  llvm::SmallVector<int64_t, 4> strides; ///< in elements
  int64_t packedBytes = 0;               ///< of memory that mmk_pack has filled

  /// Strides that are all 0 are those of a dense tensor in C order.
  Layout(const mmk_tensor &tensor, int64_t elementBytes);

  bool isEmpty() const; ///< without elements

  /// Why generated code cannot write it; empty if it can.
  std::string whyNoResult() const;

  /// Makes the dimensions from `first` to `last` one, whose elements are apart by the stride of the
  /// last, which is 1 for the last dimension of a result. Returns why they are not; empty if they
  /// are.
  std::string join(size_t first, size_t last, bool isResult);

  /// Whether the two have the same element at each index.
  bool isSameAs(const Layout &other) const;

  /// Whether the two may share memory. Never wrongly false; interleaved rows, as in the halves of a
  /// wider matrix, are recognised as disjoint when both have the same strides.
  bool mayTouch(const Layout &other) const;

private:
  /// Bytes from `data` of the first and behind the last element.
  int64_t begin() const;
  int64_t end() const;
};

} // namespace mmk::library
