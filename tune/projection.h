// Projects a point onto some axes of its space, as one number: equal numbers mean equal places
// there.
#pragma once

#include "tune/space.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mmk::tune {

class Projection {
public:
  /// Onto the axes whose directives matter.
  Projection(const Space &space, llvm::function_ref<bool(std::string_view key)> matters) {
    for (const Axis &axis : space.axes()) {
      const bool counts = matters(axis.key);
      strides_.push_back(counts ? size_ : 0);
      size_ *= counts ? axis.words.size() : 1;
    }
  }

  uint64_t of(const Point &point) const {
    uint64_t number = 0;
    for (size_t axis = 0; axis < point.size(); ++axis)
      number += strides_[axis] * point[axis];
    return number;
  }
  /// One more than the largest number.
  uint64_t size() const { return size_; }

private:
  std::vector<uint64_t> strides_;
  uint64_t size_ = 1;
};

} // namespace mmk::tune
