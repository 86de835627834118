// Dimensions that follow from others, computed in the source that needs them.
#pragma once

#include "frontend/kernel.h"

#include <string>

namespace mmk::ascendc {

/// "  const int64_t P = (H - 1) / 2 + 1;", a line for each dimension that follows from others and
/// that a function's body names, itself or by another one.
std::string derivedDimensions(const Kernel &kernel, const std::string &body);

} // namespace mmk::ascendc
