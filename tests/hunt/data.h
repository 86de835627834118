// The numbers of a sample.
#pragma once

#include "runtime/tensor.h"
#include "tests/hunt/sample.h"

namespace mmk::hunt {

/// The data of parameter `index`; but for Fill::strewn those that `mmk run` makes of the seed.
void fill(Tensor &tensor, Fill fill, uint64_t seed, size_t index);

} // namespace mmk::hunt
