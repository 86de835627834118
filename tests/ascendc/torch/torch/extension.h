// The part of PyTorch's C++ interface that a registration of mmk calls: declarations, to compile
// it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <tuple>

namespace c10 {
enum class ScalarType { Byte, Char, Int, Half, BFloat16, Float };
}
namespace at {
constexpr c10::ScalarType kByte = c10::ScalarType::Byte, kChar = c10::ScalarType::Char,
                          kInt = c10::ScalarType::Int, kHalf = c10::ScalarType::Half,
                          kBFloat16 = c10::ScalarType::BFloat16, kFloat = c10::ScalarType::Float;
struct IntArrayRef {
  IntArrayRef(std::initializer_list<int64_t> extents);
  bool operator==(const IntArrayRef &other) const;
};
struct TensorOptions {
  TensorOptions dtype(c10::ScalarType type) const;
};
struct Tensor {
  int64_t dim() const;
  int64_t numel() const;
  int64_t size(int64_t dim) const;
  IntArrayRef sizes() const;
  bool is_contiguous() const;
  c10::ScalarType scalar_type() const;
  void *data_ptr() const;
  TensorOptions options() const;
};
Tensor empty(IntArrayRef extents, TensorOptions options);
} // namespace at
namespace torch {
struct Library {
  void def(const char *schema);
  template <typename Function> void impl(const char *name, Function function);
};
void check(bool holds, ...);
} // namespace torch
#define TORCH_CHECK(condition, ...) torch::check(condition)
#define TORCH_FN(function) &function
#define TORCH_LIBRARY(name, library) void register_##name(torch::Library &library)
#define TORCH_LIBRARY_IMPL(name, key, library)                                                     \
  void implement_##name##_##key(torch::Library &library)
