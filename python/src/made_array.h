// Arrays for results that the caller gives no memory for: of NumPy, or tensors of PyTorch.
#pragma once

#include "element_types.h"

#include <pybind11/pybind11.h>

namespace mmk::python {

/// An array over memory of ResultMemory, which it gives back when it is freed.
struct MadeArray {
  pybind11::object object;
  mmk_tensor tensor;
};

/// Makes an array of these extents; `extents` has the result's rank. Throws a MemoryError, or a
/// TypeError where NumPy lacks the type.
MadeArray makeNumpyArray(const mmk_argument &result, const int64_t *extents);
MadeArray makeTorchTensor(const mmk_argument &result, const int64_t *extents);

} // namespace mmk::python
