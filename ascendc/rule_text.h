// Integer arithmetic of a kernel as C++.
#pragma once

#include "frontend/kernel.h"

#include <string>

namespace mmk::ascendc {

/// Dimensions have their names, int parameters their values; the positions "#0", "#1", ... of a
/// value's shape are i0, i1, ...
std::string textOf(const Rule &rule, const Kernel &kernel);

/// "  const int64_t P = (H - 1) / 2 + 1;", a line for each dimension that follows from others and
/// that a function's body names, itself or by another one.
std::string derivedDimensions(const Kernel &kernel, const std::string &body);

/// Definitions of what such texts call.
extern const char *const ruleFunctions;

} // namespace mmk::ascendc
