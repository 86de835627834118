// Integer arithmetic of a kernel as C.
#pragma once

#include "frontend/kernel.h"

#include <functional>
#include <string>

namespace mmk {

/// int parameters have their values; dimensions their names as `spelled` gives them. The positions
/// "#0", "#1", ... of a value's shape are i0, i1, ...
std::string textOf(const Rule &rule, const Kernel &kernel,
                   const std::function<std::string(const std::string &)> &spelled);
/// With the names as they are.
std::string textOf(const Rule &rule, const Kernel &kernel);

/// Definitions of what such texts call. `specifiers`: "inline", or for C "static inline".
std::string ruleFunctions(const std::string &specifiers);

} // namespace mmk
