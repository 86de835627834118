// The body of a kernel as plain C++ functions on double, one for each value: the reference of the
// host program, which knows nothing of the tiles.
#pragma once

#include "ascendc/project.h"

namespace mmk::ascendc {

/// The functions, and for each result one that gives its element: `double NAME_element(int64_t i0,
/// ...)`. They read the dimensions by their names, and `double NAME_at(size_t)` of a parameter.
std::string referenceText(const Kernel &kernel);

/// "M", or "64".
std::string textOf(const Dimension &dimension);

} // namespace mmk::ascendc
