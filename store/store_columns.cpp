#include "store/store_columns.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace mmk::tune {
namespace {

/// Reads the numbers of a text; missing ones stay unchanged.
template <typename Array> void split(std::string_view text, Array &numbers) {
  const char *at = text.begin();
  for (auto &number : numbers) {
    while (at != text.end() && *at == ' ')
      ++at;
    at = std::from_chars(at, text.end(), number).ptr;
  }
}

LeastTime leastFrom(std::string_view text) {
  std::array<int64_t, 4 + 2 * allPipes.size()> numbers{};
  split(text, numbers);
  LeastTime least{numbers[0], numbers[1], numbers[2], numbers[3]};
  std::copy_n(numbers.begin() + 4, allPipes.size(), least.cubeWork.begin());
  std::copy_n(numbers.begin() + 4 + allPipes.size(), allPipes.size(), least.vectorWork.begin());
  return least;
}

} // namespace

std::string textOf(const LeastTime &least) {
  return fmt::format("{} {} {} {} {} {}", least.cycles, least.multiplied, least.drain, least.rest,
                     joined(least.cubeWork), joined(least.vectorWork));
}

std::string textOf(const std::vector<ShapeLimit> &limits) {
  std::string text;
  for (const ShapeLimit &limit : limits)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", fmt::join(limit.dimensions, "*"),
                        limit.most);
  return text;
}

std::vector<ShapeLimit> limitsFrom(std::string_view text) {
  std::vector<ShapeLimit> limits;
  for (const char *at = text.begin(); at < text.end(); ++at) {
    ShapeLimit &limit = limits.emplace_back();
    do
      at = std::from_chars(at, text.end(), limit.dimensions.emplace_back()).ptr;
    while (at < text.end() && *at++ == '*');
    at = std::from_chars(at, text.end(), limit.most).ptr;
  }
  return limits;
}

std::vector<uint64_t> numbersFrom(std::string_view text) {
  std::vector<uint64_t> numbers;
  for (const char *at = text.begin(); at != text.end();) {
    const auto [end, error] = std::from_chars(at, text.end(), numbers.emplace_back());
    if (error != std::errc() || (end != text.end() && *end != ' '))
      throw Damage("the points of a decided space are no numbers");
    at = end + (end != text.end());
  }
  return numbers;
}

Measure measureFrom(const Statement &row, int first) {
  Measure measure;
  measure.cycles = row.number(first);
  measure.microseconds = row.real(first + 1);
  measure.cores = row.number(first + 2);
  measure.trafficBytes = row.number(first + 3);
  split(row.text(first + 4), measure.busyCycles);
  split(row.text(first + 5), measure.memoryBytes);
  measure.least = leastFrom(row.text(first + 6));
  return measure;
}

Check checkFrom(const Statement &row, int first) {
  if (row.number(first) < 0 || row.number(first) > static_cast<int64_t>(CheckState::failed))
    throw Damage(fmt::format("a check has the state {}", row.number(first)));
  return {static_cast<CheckState>(row.number(first)), row.text(first + 1), row.real(first + 2),
          row.real(first + 3)};
}

} // namespace mmk::tune
