// What is kept of a variant, as values in the columns of the memory and back.
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

/// What SQLite does not see: rows that are whole, but mean nothing.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Numbers one behind the other: "3 1 4".
template <typename Array> std::string joined(const Array &numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

/// Throws Damage.
std::vector<uint64_t> numbersFrom(std::string_view text);

std::string textOf(const LeastTime &least);
/// "1:2048 2:512"
std::string textOf(const std::vector<ShapeLimit> &limits);
std::vector<ShapeLimit> limitsFrom(std::string_view text);

/// Those of a table `measure` called m, as measureFrom reads them.
inline constexpr const char *measureColumns =
    "m.cycles, m.microseconds, m.cores, m.traffic, m.busy, m.memory, m.least";
Measure measureFrom(const Statement &row, int first);

/// From a state, the data and two errors; throws Damage.
Check checkFrom(const Statement &row, int first);

} // namespace mmk::tune
