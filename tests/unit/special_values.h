// The numbers that are not finite.
#pragma once

#include <limits>

namespace mmk {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

} // namespace mmk
