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
    if (dim != operand.kDim && dim != operand.nDim)
      batches *= extents[dim];
  return batches;
}

/// One matrix of an operand, strides in elements.
struct Matrix {
  const char *data;
  int64_t k, n, rowStride, columnStride;
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
                columns = std::min(width, from.n - column),
                steps = layout.vectorBytes(from.k) / layout.stepBytes();
  const T zero = layout.isOffset ? T(0x80) : T(0);
  uint16_t least = 0xFFFF;
  T *out = reinterpret_cast<T *>(to);
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t i = 0; i < layout.group; ++i) {
      const int64_t row = step * layout.group + i;
      T *at = out + step * width * layout.group + i;
      const int64_t present = row < from.k ? columns : 0;
      const T *source = reinterpret_cast<const T *>(from.data) + row * from.rowStride +
                        column * from.columnStride;
      for (int64_t j = 0; j < present; ++j) {
        const T element = source[j * from.columnStride];
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

/// The matrix of a batch, the batches in row-major order.
Matrix matrixOf(const PackedOperand &operand, const PackSource &from, int64_t batch) {
  int64_t offset = 0;
  for (size_t dim = from.extents.size(); dim-- > 0;)
    if (dim != operand.kDim && dim != operand.nDim) {
      offset += batch % from.extents[dim] * from.strides[dim];
      batch /= from.extents[dim];
    }
  return {static_cast<const char *>(from.data) + offset * operand.layout.elementBytes,
          from.extents[operand.kDim], from.extents[operand.nDim], from.strides[operand.kDim],
          from.strides[operand.nDim]};
}

void copyRows(const PanelLayout &layout, const Matrix &from, char *to) {
  const int64_t size = layout.elementBytes;
  for (int64_t row = 0; row < from.k; ++row)
    for (int64_t column = 0; column < from.n; ++column, to += size)
      std::memcpy(to, from.data + (row * from.rowStride + column * from.columnStride) * size,
                  static_cast<size_t>(size));
}

} // namespace

int64_t packedBytes(const PackedOperand &operand, llvm::ArrayRef<int64_t> extents) {
  return operand.layout.bytes(batchesOf(operand, extents), extents[operand.kDim],
                              extents[operand.nDim]);
}

void packPanels(const PackedOperand &operand, const PackSource &from, void *to) {
  const PanelLayout &layout = operand.layout;
  const int64_t k = from.extents[operand.kDim], n = from.extents[operand.nDim],
                all = layout.vectorsOf(n), panels = (all + layout.vectors - 1) / layout.vectors,
                vectorBytes = layout.vectorBytes(k);
  char *start = static_cast<char *>(to);
  std::atomic<uint16_t> least = 0xFFFF;
  const int64_t batches = batchesOf(operand, from.extents);
  if (n <= PanelLayout::fewColumns)
    for (int64_t batch = 0; batch < batches; ++batch)
      copyRows(layout, matrixOf(operand, from, batch),
               start + PanelLayout::prefixBytes + batch * layout.matrixBytes(k, n));
  else
    parallelFor(batches * panels, availableThreads(), [&](int64_t index, unsigned) {
      const int64_t batch = index / panels, first = index % panels * layout.vectors;
      const uint16_t key = packPanel(
          layout, matrixOf(operand, from, batch), first, std::min(layout.vectors, all - first),
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
