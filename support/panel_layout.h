// How a constant operand of a product is laid out for the host CPU: in panels, each of which is
// read from one end to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mmk {

/// K rows by N columns. A panel holds some vectors of columns over all of K, and a step the next
/// `group` rows of them: for each column, `group` elements side by side. The last panel may have
/// fewer vectors. Places without an element hold zero. A prefix comes before the panels. An operand
/// of few columns is dense rows instead: its product is bound by reading A.
struct PanelLayout {
  int64_t lanes = 1;        ///< columns of a vector
  int64_t vectors = 1;      ///< of a panel
  int64_t group = 1;        ///< rows that a step multiplies at once
  int64_t unit = 1;         ///< K is padded to a multiple, itself a multiple of `group`
  int64_t elementBytes = 1; ///< 1, 2 or 4
  bool isOffset = false;    ///< bytes are offset by 128, to be unsigned

  /// The first 8 bytes of it are the least exponent of a bf16 that is not zero, 0 of a denormal.
  static constexpr int64_t prefixBytes = 64;
  /// The most columns that stay rows.
  static constexpr int64_t fewColumns = 16;

  int64_t stepBytes() const { return lanes * group * elementBytes; } ///< of a vector
  int64_t vectorsOf(int64_t n) const { return (n + lanes - 1) / lanes; }
  int64_t vectorBytes(int64_t k) const {
    return (k + unit - 1) / unit * unit / group * stepBytes();
  }
  /// Of one matrix.
  int64_t matrixBytes(int64_t k, int64_t n) const {
    return n <= fewColumns ? k * n * elementBytes : vectorsOf(n) * vectorBytes(k);
  }
  int64_t bytes(int64_t batches, int64_t k, int64_t n) const {
    return prefixBytes + batches * matrixBytes(k, n);
  }
  bool operator==(const PanelLayout &) const = default;

  /// All of it, in words: layouts are equal if these are.
  std::string spelling() const;
};

/// Dimensions of a tensor, from the first to the last, that a product goes along as one.
struct PackedDims {
  size_t first = 0, last = 0;
  bool contains(size_t dim) const { return first <= dim && dim <= last; }
  std::string spelling() const;
};

/// A parameter of a kernel that is laid out in panels: all its uses are the right operand of a
/// product.
struct PackedOperand {
  size_t parameter = 0;
  PackedDims k{0, 0}, n{1, 1}; ///< of the tensor; all others are batches
  PanelLayout layout;
  bool isBatch(size_t dim) const { return !k.contains(dim) && !n.contains(dim); }
};

} // namespace mmk
