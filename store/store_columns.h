// Converts the stored data of a variant to column values and back.
#pragma once

#include "store/database.h"
#include "store/known.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mmk::tune {

/// Damage that SQLite does not detect: complete rows with illegal values.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Numbers separated by spaces: "3 1 4".
template <typename Array> std::string joined(const Array &numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

/// Throws Damage.
std::vector<uint64_t> numbersFrom(std::string_view text);

std::string textOf(const LeastTime &least);
/// "1:2048 2:512"
std::string textOf(const std::vector<ShapeLimit> &limits);
std::vector<ShapeLimit> limitsFrom(std::string_view text);

/// Column names of a table `measure` with the alias m, in the order in which measureFrom reads
/// them.
inline constexpr const char *measureColumns =
    "m.cycles, m.microseconds, m.cores, m.traffic, m.busy, m.memory, m.least";
Measure measureFrom(const Statement &row, int first);

/// Reads a state, the data and two errors; throws Damage.
Check checkFrom(const Statement &row, int first);

} // namespace mmk::tune
