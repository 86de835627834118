#include "frontend/numbers.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mmk {

std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

double parseNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative)
    text.remove_prefix(1);
  double value = 0;
  if (text == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
      // from_chars does not tell overflow from underflow; only a negative exponent, or none after
      // "0.", underflows.
      const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos ||
                         text.find_first_of("123456789") > text.find('.');
      value = small ? 0 : std::numeric_limits<double>::infinity();
    }
  }
  return negative ? -value : value;
}

bool overflowsF32(std::string_view text) {
  return text.find("inf") == text.npos && std::isinf(roundTo(ElementType::f32, parseNumber(text)));
}

std::string problemOfScalar(ElementType type, std::string_view text) {
  if (isFloat(type))
    return overflowsF32(text)
               ? fmt::format("{} is too large for f32, whose largest number is 3.4028235e38", text)
               : "";
  const auto whole = parseInteger(text);
  const bool fits = whole && *whole >= std::numeric_limits<int32_t>::min() &&
                    *whole <= std::numeric_limits<int32_t>::max();
  return fits ? ""
              : fmt::format("expected an integer from -2147483648 to 2147483647, found {}", text);
}

} // namespace mmk
