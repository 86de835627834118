#include "library/layout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::library {

Layout::Layout(const mmk_tensor &tensor, int64_t elementBytes)
    : data(static_cast<const char *>(tensor.data)), elementBytes(elementBytes),
      extents(tensor.extents, tensor.extents + tensor.rank),
      strides(tensor.strides, tensor.strides + tensor.rank) {
  if (std::ranges::any_of(strides, [](int64_t stride) { return stride != 0; }))
    return;
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0; stride *= extents[i])
    strides[i] = stride;
}

bool Layout::isEmpty() const { return llvm::is_contained(extents, 0); }

std::string Layout::whyNoResult() const {
  if (isEmpty())
    return {};
  if (strides.back() != 1 && extents.back() > 1)
    return fmt::format("has stride {} in its last dimension, which for a result is 1",
                       strides.back());
  // In the order of strides, each stride must exceed the extent of all smaller dimensions.
  llvm::SmallVector<size_t, MMK_MAX_RANK> order;
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] > 1)
      order.push_back(i);
  std::ranges::sort(order, {}, [&](size_t i) { return strides[i]; });
  int64_t reached = 1;
  for (size_t i : order) {
    if (strides[i] < reached)
      return fmt::format("has stride {} in dimension {}, so that its elements overlap; at least {} "
                         "keeps them apart",
                         strides[i], i, reached);
    reached = strides[i] * (extents[i] - 1) + reached;
  }
  return {};
}

std::string Layout::join(size_t first, size_t last, bool isResult) {
  // Strides of extents of 1 mean nothing. 0: not known yet.
  if (isEmpty())
    return {};
  int64_t step = 0, next = isResult && last + 1 == extents.size() ? 1 : 0;
  for (size_t dim = last + 1; dim-- > first;) {
    if (extents[dim] == 1)
      continue;
    if (next != 0 && strides[dim] != next)
      return fmt::format("has stride {} in dimension {}, and the kernel reads its dimensions {} to "
                         "{} as one, which takes {}",
                         strides[dim], dim, first, last, next);
    step = step == 0 ? strides[dim] : step;
    next = strides[dim] * extents[dim];
  }
  if (step != 0)
    strides[last] = step;
  return {};
}

int64_t Layout::begin() const {
  int64_t first = 0;
  for (size_t i = 0; i < extents.size(); ++i)
    first += std::min<int64_t>(0, strides[i] * (extents[i] - 1));
  return first * elementBytes;
}

int64_t Layout::end() const {
  if (packedBytes != 0)
    return packedBytes;
  int64_t last = 0;
  for (size_t i = 0; i < extents.size(); ++i)
    last += std::max<int64_t>(0, strides[i] * (extents[i] - 1));
  return (last + 1) * elementBytes;
}

bool Layout::isSameAs(const Layout &other) const {
  if (data != other.data || elementBytes != other.elementBytes || extents != other.extents ||
      packedBytes != 0 || other.packedBytes != 0)
    return false;
  return llvm::all_of(llvm::zip(extents, strides, other.strides), [](const auto &dimension) {
    const auto [extent, stride, otherStride] = dimension;
    return extent == 1 || stride == otherStride;
  });
}

bool Layout::mayTouch(const Layout &other) const {
  if (isEmpty() || other.isEmpty())
    return false;
  const auto at = reinterpret_cast<intptr_t>(data),
             atOther = reinterpret_cast<intptr_t>(other.data);
  if (at + end() <= atOther + other.begin() || atOther + other.end() <= at + begin())
    return false;
  // Both have rows at multiples of one distance: they are disjoint when the rows are.
  if (packedBytes != 0 || other.packedBytes != 0 || extents.size() < 2 ||
      strides.size() != other.strides.size() || strides.back() != 1 || other.strides.back() != 1)
    return true;
  const int64_t row = strides[strides.size() - 2] * elementBytes;
  for (size_t i = 0; i + 1 < strides.size(); ++i)
    if (row <= 0 || strides[i] * elementBytes % row != 0 ||
        other.strides[i] * other.elementBytes % row != 0)
      return true;
  const int64_t distance = ((atOther - at) % row + row) % row;
  return distance < extents.back() * elementBytes ||
         distance + other.extents.back() * other.elementBytes > row;
}

} // namespace mmk::library
