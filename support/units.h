// Figures for people: a few digits, and the unit with its prefix.
#pragma once

#include <string>
#include <string_view>

namespace mmk {

/// "33.6 MB", "295 TFLOP/s": three digits.
std::string withUnit(double value, std::string_view unit);

/// "44.0 %" of 0.44.
std::string percent(double share);

} // namespace mmk
