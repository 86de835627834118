#include "schedule/joined_dimension.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace mmk {

static std::optional<int64_t> literalOf(std::string_view name) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size())
    return std::nullopt;
  return number;
}

std::string joinedName(std::span<const std::string> names) {
  std::vector<std::string_view> parts;
  int64_t literal = 1;
  for (const std::string &name : names)
    for (std::string_view factor : factorsOf(name)) {
      if (const std::optional<int64_t> number = literalOf(factor))
        literal *= *number;
      else
        parts.push_back(factor);
    }
  const std::string number = std::to_string(literal);
  if (literal != 1 || parts.empty())
    parts.push_back(number);
  return fmt::format("{}", fmt::join(parts, "*"));
}

std::vector<std::string_view> factorsOf(std::string_view name) {
  std::vector<std::string_view> factors;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('*', begin), name.size());
    factors.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return factors;
}

int64_t extentOfName(std::string_view name,
                     const std::function<int64_t(std::string_view)> &extentOf) {
  int64_t extent = 1;
  for (std::string_view factor : factorsOf(name))
    extent *= literalOf(factor).value_or(0) > 0 ? *literalOf(factor) : extentOf(factor);
  return extent;
}

} // namespace mmk
