// Where the elements of a bound tensor lie in memory.
#pragma once

#include "library/mmk.h"

#include <string>
#include <vector>

namespace mmk::library {

struct Layout {
  std::string name;
  const char *data = nullptr;
  int64_t elementBytes = 1;
  std::vector<int64_t> extents, strides; ///< in elements
  bool isResult = false;

  /// Strides that are all 0 are those of a dense tensor in C order.
  Layout(std::string name, const mmk_tensor &tensor, int64_t elementBytes);

  /// What keeps it from being written by generated code; empty when nothing does.
  std::string whyNoResult() const;

  /// Whether an element of both may be the same memory. Never wrongly false; rows that interleave,
  /// as the halves of a wider matrix do, are told apart when both have the same strides.
  bool mayTouch(const Layout &other) const;

private:
  /// Bytes from `data` of the first and behind the last element.
  int64_t begin() const;
  int64_t end() const;
};

} // namespace mmk::library
