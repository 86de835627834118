// A view of a tensor in memory: `transpose` and broadcasting change only the strides.
#pragma once

#include "runtime/tensor.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace mmk {

struct TensorView {
  const char *data = nullptr;
  ElementType type = ElementType::f32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements, as many as `shape` has

  const char *at(int64_t offset) const {
    return data + offset * static_cast<int64_t>(sizeInBytes(type));
  }
};

/// Of a tensor whose elements follow each other.
inline std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    strides[d] = stride;
  return strides;
}

inline TensorView viewOf(const Tensor &tensor) {
  return {tensor.as<char>(), tensor.type, tensor.shape, denseStrides(tensor.shape)};
}

/// The last two dimensions swapped.
inline TensorView transposed(TensorView view) {
  const size_t rank = view.shape.size();
  std::swap(view.shape[rank - 2], view.shape[rank - 1]);
  std::swap(view.strides[rank - 2], view.strides[rank - 1]);
  return view;
}

/// Strides of `view` seen as a tensor of `shape`, to which it broadcasts: 0 where it repeats.
inline std::vector<int64_t> broadcastStrides(const TensorView &view,
                                             const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 0);
  const size_t added = shape.size() - view.shape.size();
  for (size_t d = 0; d < view.shape.size(); ++d)
    strides[added + d] = view.shape[d] == 1 ? 0 : view.strides[d];
  return strides;
}

} // namespace mmk
