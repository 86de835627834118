#include "runtime/pack.h"

#include "runtime/threads.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace mmk {
namespace {

int64_t batchesOf(const PackedOperand &operand, llvm::ArrayRef<int64_t> extents) {
  int64_t batches = 1;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (operand.isBatch(dim))
      batches *= extents[dim];
  return batches;
}

int64_t extentOf(const PackedDims &dims, llvm::ArrayRef<int64_t> extents) {
  int64_t all = 1;
  for (size_t dim = dims.first; dim <= dims.last; ++dim)
    all *= extents[dim];
  return all;
}

/// The places of all indices of some dimensions, in row-major order.
std::vector<int64_t> placesOf(const PackedDims &dims, const PackSource &from) {
  std::vector<int64_t> places = {0};
  for (size_t dim = dims.first; dim <= dims.last; ++dim) {
    std::vector<int64_t> inner;
    for (int64_t place : places)
      for (int64_t i = 0; i < from.extents[dim]; ++i)
        inner.push_back(place + i * from.strides[dim]);
    places = std::move(inner);
  }
  return places;
}

/// A matrix of an operand: the place of an element is that of its row and that of its column, in
/// elements.
struct Matrix {
  const char *data;
  llvm::ArrayRef<int64_t> rows, columns;
  int64_t k() const { return static_cast<int64_t>(rows.size()); }
  int64_t n() const { return static_cast<int64_t>(columns.size()); }
};

/// The least of 2 x - 1 of the bits of each element that was not zero, which orders bf16 by their
/// magnitude; zeros are above all.
uint16_t leastKeyOf(uint16_t least, uint16_t bits) {
  return std::min(least, static_cast<uint16_t>(2 * bits - 1));
}

/// Packs the panel of the vectors from `first` on; returns its least key.
template <typename T>
uint16_t packPanel(const PanelLayout &layout, const Matrix &from, int64_t first, int64_t vectors,
                   char *to) {
  const int64_t width = vectors * layout.lanes, column = first * layout.lanes,
                columns = std::min(width, from.n() - column),
                steps = layout.vectorBytes(from.k()) / layout.stepBytes();
  const T zero = layout.isOffset ? T(0x80) : T(0);
  uint16_t least = 0xFFFF;
  T *out = reinterpret_cast<T *>(to);
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t i = 0; i < layout.group; ++i) {
      const int64_t row = step * layout.group + i;
      T *at = out + step * width * layout.group + i;
      const int64_t present = row < from.k() ? columns : 0;
      const T *source = reinterpret_cast<const T *>(from.data) + (present ? from.rows[row] : 0);
      for (int64_t j = 0; j < present; ++j) {
        const T element = source[from.columns[column + j]];
        at[j * layout.group] = element ^ zero;
        if constexpr (sizeof(T) == 2)
          least = leastKeyOf(least, element);
      }
      for (int64_t j = present; j < width; ++j)
        at[j * layout.group] = 0;
    }
  return least;
}

uint16_t packPanel(const PanelLayout &layout, const Matrix &from, int64_t first, int64_t vectors,
                   char *to) {
  switch (layout.elementBytes) {
  case 1:
    return packPanel<uint8_t>(layout, from, first, vectors, to);
  case 2:
    return packPanel<uint16_t>(layout, from, first, vectors, to);
  default:
    return packPanel<uint32_t>(layout, from, first, vectors, to);
  }
}

/// The memory of a batch, the batches in row-major order.
const char *startOf(const PackedOperand &operand, const PackSource &from, int64_t batch) {
  int64_t offset = 0;
  for (size_t dim = from.extents.size(); dim-- > 0;)
    if (operand.isBatch(dim)) {
      offset += batch % from.extents[dim] * from.strides[dim];
      batch /= from.extents[dim];
    }
  return static_cast<const char *>(from.data) + offset * operand.layout.elementBytes;
}

void copyRows(const PanelLayout &layout, const Matrix &from, char *to) {
  const int64_t size = layout.elementBytes;
  for (int64_t row : from.rows)
    for (int64_t column : from.columns) {
      std::memcpy(to, from.data + (row + column) * size, static_cast<size_t>(size));
      to += size;
    }
}

} // namespace

int64_t packedBytes(const PackedOperand &operand, llvm::ArrayRef<int64_t> extents) {
  return operand.layout.bytes(batchesOf(operand, extents), extentOf(operand.k, extents),
                              extentOf(operand.n, extents));
}

void packPanels(const PackedOperand &operand, const PackSource &from, void *to) {
  const PanelLayout &layout = operand.layout;
  const std::vector<int64_t> rows = placesOf(operand.k, from), columns = placesOf(operand.n, from);
  const auto matrixOf = [&](int64_t batch) {
    return Matrix{startOf(operand, from, batch), rows, columns};
  };
  const int64_t k = static_cast<int64_t>(rows.size()), n = static_cast<int64_t>(columns.size()),
                all = layout.vectorsOf(n), panels = (all + layout.vectors - 1) / layout.vectors,
                vectorBytes = layout.vectorBytes(k);
  char *start = static_cast<char *>(to);
  std::atomic<uint16_t> least = 0xFFFF;
  const int64_t batches = batchesOf(operand, from.extents);
  if (n <= PanelLayout::fewColumns)
    for (int64_t batch = 0; batch < batches; ++batch)
      copyRows(layout, matrixOf(batch),
               start + PanelLayout::prefixBytes + batch * layout.matrixBytes(k, n));
  else
    parallelFor(batches * panels, availableThreads(), [&](int64_t index, unsigned) {
      const int64_t batch = index / panels, first = index % panels * layout.vectors;
      const uint16_t key =
          packPanel(layout, matrixOf(batch), first, std::min(layout.vectors, all - first),
                    start + PanelLayout::prefixBytes + (batch * all + first) * vectorBytes);
      uint16_t known = least;
      while (key < known && !least.compare_exchange_weak(known, key)) {
      }
    });
  std::memset(start, 0, PanelLayout::prefixBytes);
  const int64_t exponent = (int64_t(least) + 1) >> 8;
  std::memcpy(start, &exponent, sizeof exponent);
}

bool PackedConstant::pack(const PackedOperand &operand, const void *data,
                          llvm::ArrayRef<int64_t> extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t i = extents.size(); i-- > 1;)
    strides[i - 1] = strides[i] * extents[i];
  bytes_ = packedBytes(operand, extents);
  memory_.reset(
      static_cast<char *>(std::aligned_alloc(PanelLayout::prefixBytes, (bytes_ + 63) / 64 * 64)));
  if (!memory_)
    return false;
  packPanels(operand, {data, extents, strides}, memory_.get());
  return true;
}

} // namespace mmk
