// A constant operand that is laid out for a kernel, once, to be given in place of the array.
#pragma once

#include "mmk.h"

#include <cstdlib>
#include <memory>

namespace mmk::python {

struct PackedConstant {
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  mmk_tensor tensor = {}; ///< as it is bound; the name is that of the argument that it is given for
  std::unique_ptr<void, Free> memory;
  size_t bytes = 0;
};

} // namespace mmk::python
