// How many samples a test takes: all with MMK_ALL in the environment (`./dev test --all`), else
// half.
#pragma once

#include <cstdlib>

namespace mmk {

inline bool takesAllSamples() { return std::getenv("MMK_ALL") != nullptr; }
inline int samplesOf(int all) { return takesAllSamples() ? all : all / 2; }

} // namespace mmk
