// An array of Python as a tensor of the library, for the time of a call: by the buffer protocol
// (NumPy), or by DLPack (PyTorch and others). Nothing is copied, but an array all of whose strides
// are 0, which the library cannot name.
#pragma once

#include "element_types.h"

#include <pybind11/pybind11.h>

#include <vector>

namespace mmk::python {

class BorrowedArray {
public:
  BorrowedArray() = default;
  BorrowedArray(const BorrowedArray &) = delete;
  ~BorrowedArray();

  /// Takes the memory of `object` for this argument; `declared` is its text, "f16[M, K]", for
  /// messages. Throws a TypeError or a ValueError about what is no array of the right kind.
  void take(pybind11::handle object, const mmk_argument &argument, const char *declared);

  const mmk_tensor &tensor() const { return tensor_; }

private:
  void takeBuffer(pybind11::handle object, const mmk_argument &argument, const char *declared);
  void takeDlpack(pybind11::handle object, const mmk_argument &argument, const char *declared);
  bool repeatsOneElement() const;
  void repeatElement();

  mmk_tensor tensor_ = {};
  Py_buffer view_ = {};
  bool hasView_ = false;
  pybind11::object capsule_;
  std::vector<char> repeated_;
};

/// Whether an object is a tensor of PyTorch; it is not imported for that.
bool isTorchTensor(pybind11::handle object);

} // namespace mmk::python
