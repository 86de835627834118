// A dense tensor in the memory of the host: the operands and results of kernels.
#pragma once

#include "support/element.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace mmk {

/// Row-major, aligned to 64 bytes, between two canaries that show a write out of bounds. Move-only.
/// A default-constructed one has no memory.
struct Tensor {
  ElementType type = ElementType::f32;
  std::vector<int64_t> shape; ///< outermost first; empty for one scalar

  /// Uninitialised memory. Refuses a negative dimension, a number of bytes that does not fit in
  /// 63 bits, and more than the machine has.
  static llvm::Expected<Tensor> allocate(ElementType type, std::vector<int64_t> shape);

  int64_t elements() const { return elements_; }
  size_t bytes() const { return static_cast<size_t>(elements_) * sizeInBytes(type); }

  void *data() { return storage_.get() + canaryBytes; }
  const void *data() const { return storage_.get() + canaryBytes; }
  template <typename T> T *as() { return static_cast<T *>(data()); }
  template <typename T> const T *as() const { return static_cast<const T *>(data()); }

  double operator[](int64_t index) const { return loadElement(data(), index, type); }
  void set(int64_t index, double value) { storeElement(data(), index, type, value); }

  bool canariesIntact() const;

  /// Fills with values that no kernel computes: NaNs of one bit pattern, 0x7f..7f for integers. A
  /// result that was not written cannot be mistaken for that of an earlier run.
  void poison();

private:
  static constexpr size_t canaryBytes = 64;
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> storage_;
  int64_t elements_ = 0;
};

/// "f16[2048, 64]"; "f32" for a scalar.
std::string spelling(ElementType type, const std::vector<int64_t> &shape);

} // namespace mmk
