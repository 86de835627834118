#include "support/units.h"

#include <fmt/format.h>

namespace mmk {

std::string withUnit(double value, std::string_view unit) {
  static constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < std::size(prefixes); ++prefix)
    value /= 1000;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", value, prefix == 0 ? 0 : decimals, prefixes[prefix], unit);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

} // namespace mmk
