// The numbers of a sample.
#pragma once

#include "runtime/tensor.h"
#include "tests/hunt/sample.h"

namespace mmk::hunt {

/// The data of parameter `index`, whose dimensions have these names; but for Fill::strewn and
/// poison those that `mmk run` makes of the seed.
void fill(Tensor &tensor, const std::vector<std::string> &dims, const Sample &sample, size_t index);

} // namespace mmk::hunt
