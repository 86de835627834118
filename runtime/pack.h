// Lays out a constant operand in panels, once, before the runs that read it.
#pragma once

#include "support/panel_layout.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdlib>
#include <memory>

namespace mmk {

/// A tensor in memory, of any strides (in elements).
struct PackSource {
  const void *data = nullptr;
  llvm::ArrayRef<int64_t> extents, strides;
};

/// The bytes of an operand of these extents when it is packed.
int64_t packedBytes(const PackedOperand &operand, llvm::ArrayRef<int64_t> extents);

/// Packs it to `to`, by all threads that the process may use.
void packPanels(const PackedOperand &operand, const PackSource &from, void *to);

/// A constant operand in memory of its own, packed.
class PackedConstant {
public:
  /// Packs a dense tensor in C order. False when there is not enough memory.
  bool pack(const PackedOperand &operand, const void *data, llvm::ArrayRef<int64_t> extents);

  const void *data() const { return memory_.get(); }
  int64_t bytes() const { return bytes_; }

private:
  std::unique_ptr<char, decltype(&std::free)> memory_{nullptr, &std::free};
  int64_t bytes_ = 0;
};

} // namespace mmk
