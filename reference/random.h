// Random numbers of the language: Philox4x32-10, so that each is a function of the seed and the
// place alone.
#pragma once

#include "runtime/tensor.h"

#include <array>
#include <cstdint>

namespace mmk {

/// One block of Philox4x32 with ten rounds.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// The number in [0, 1) of a row-major position, a multiple of 2^-24.
double randomNumber(int32_t seed, int64_t position);

/// Stores that of each element.
void storeRandom(int32_t seed, Tensor &result, unsigned threads);

} // namespace mmk
