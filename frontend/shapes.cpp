#include "frontend/shapes.h"

#include "schedule/joined_dimension.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mmk {

std::optional<Shape> broadcast(const Shape &left, const Shape &right, Mismatch &mismatch) {
  const Dimension one{"", 1};
  const auto fromEnd = [&](const Shape &shape, size_t i) {
    return i < shape.size() ? shape[shape.size() - 1 - i] : one;
  };
  Shape result(std::max(left.size(), right.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    const Dimension a = fromEnd(left, i), b = fromEnd(right, i);
    if (a != b && a != one && b != one) {
      mismatch = {a, b, i};
      return std::nullopt;
    }
    result[result.size() - 1 - i] = a == one ? b : a;
  }
  return result;
}

bool broadcastsTo(const Shape &shape, const Shape &target) {
  Mismatch ignored;
  return broadcast(shape, target, ignored) == target;
}

bool isWithoutUnits(const Shape &shape, const Shape &target) {
  size_t at = 0;
  for (const Dimension &dimension : shape)
    if (at < target.size() && dimension == target[at])
      ++at;
    else if (dimension != Dimension{"", 1})
      return false;
  return at == target.size();
}

std::string spelling(const Dimension &dimension) {
  return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
}

std::vector<std::pair<size_t, size_t>> placesOf(const Shape &shape, std::string_view name) {
  std::vector<std::pair<size_t, size_t>> places;
  std::vector<std::string> parts;
  // A named dimension between two may have the extent 1 in a call.
  const auto extend = [&](auto &&self, size_t first, size_t at) -> void {
    if (at == shape.size())
      return;
    const bool isUnit = shape[at] == Dimension{"", 1};
    if (!isUnit) {
      parts.push_back(spelling(shape[at]));
      if (joinedName(parts) == name)
        places.emplace_back(first, at + 1);
      self(self, first, at + 1);
      parts.pop_back();
    }
    if (at > first && (isUnit || !shape[at].isLiteral()))
      self(self, first, at + 1);
  };
  for (size_t first = 0; first < shape.size(); ++first)
    extend(extend, first, first);
  return places;
}

std::string spelling(const Mismatch &mismatch) {
  static constexpr std::array<std::string_view, 3> places = {
      "the last dimensions", "the second last dimensions", "the third last dimensions"};
  const std::string place =
      mismatch.fromEnd < places.size()
          ? std::string(places[mismatch.fromEnd])
          : fmt::format("the dimensions {} before the last", mismatch.fromEnd);
  return fmt::format("{} are {} and {}", place, spelling(mismatch.left), spelling(mismatch.right));
}

} // namespace mmk
