// DLPack, the exchange of tensors between libraries: its structures, whose layout its specification
// fixes (dmlc.github.io/dlpack, version 0.8), as far as tensors of the CPU need them.
#pragma once

#include <cstdint>

namespace mmk::python::dlpack {

constexpr int32_t cpu = 1;
constexpr uint8_t integer = 0, floating = 2, bfloat = 4;
constexpr const char *name = "dltensor", *usedName = "used_dltensor";

struct Device {
  int32_t type, number;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *extents;
  int64_t *strides; ///< in elements; null: dense, in C order
  uint64_t byteOffset;
};
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *self);
};

} // namespace mmk::python::dlpack
