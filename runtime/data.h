// Input data made from a seed: the same on every host and for every number of threads.
#pragma once

#include "runtime/tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

enum class DataKind {
  uniform,  ///< in [-1, 1], rounded to the type; integers: over -128 to 127
  integers, ///< -4 to 4: products sum exactly in f32, and both sides of an activation are reached
  normal,   ///< mean 0, deviation 1; integers: deviation 32
  special   ///< uniform, with rare NaN, infinities, -0, subnormals and the largest numbers
};

std::optional<DataKind> dataKindFromSpelling(std::string_view text);
/// "uniform" "integers" "normal" "special", the default first.
std::vector<std::string> dataKindNames();

/// Two tensors of one kernel take different seeds.
void fillWithData(Tensor &tensor, DataKind kind, uint64_t seed, unsigned threads);

} // namespace mmk
