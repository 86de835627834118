#include "tune/subspace.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace mmk::tune {
namespace {

/// A spelling in its lines: those of the directives, and the rules.
struct Lines {
  llvm::SmallVector<llvm::StringRef> directives, rules;

  explicit Lines(llvm::StringRef spelling) {
    llvm::SmallVector<llvm::StringRef> all;
    spelling.split(all, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : all)
      (line.starts_with("require ") ? rules : directives).push_back(line);
  }
};

} // namespace

std::optional<Subspace> Subspace::of(const Space &space, std::string_view spelling) {
  const std::string whole = space.spelling();
  const Lines mine(whole), its(spelling);
  if (mine.rules != its.rules || its.directives.size() != space.axes().size())
    return std::nullopt;
  Subspace result;
  for (llvm::StringRef line : its.directives) {
    const auto [key, words] = line.split('=');
    const auto axis = space.axisOf(key);
    if (!axis)
      return std::nullopt;
    const std::vector<std::string> &all = space.axes()[*axis].words;
    Side &side = result.sides_.emplace_back(Side{*axis, {}, std::vector<int32_t>(all.size(), -1)});
    llvm::SmallVector<llvm::StringRef> split;
    words.split(split, '|');
    for (llvm::StringRef word : split) {
      const auto place = std::ranges::find(all, word) - all.begin();
      if (place == std::ssize(all) || side.placeHere[place] != -1)
        return std::nullopt;
      side.placeHere[place] = static_cast<int32_t>(side.places.size());
      side.places.push_back(static_cast<uint16_t>(place));
    }
  }
  return result;
}

Subspace Subspace::all(const Space &space) { return *of(space, space.spelling()); }

bool Subspace::covers(const Point &point) const {
  return std::ranges::all_of(
      sides_, [&](const Side &side) { return side.placeHere[point[side.axis]] != -1; });
}

bool Subspace::isAll() const {
  return std::ranges::all_of(
      sides_, [](const Side &side) { return side.places.size() == side.placeHere.size(); });
}

uint64_t Subspace::numberOf(const Point &point) const {
  uint64_t number = 0;
  for (const Side &side : sides_)
    number = number * side.places.size() + side.placeHere[point[side.axis]];
  return number;
}

std::optional<Point> Subspace::at(uint64_t number) const {
  Point point(sides_.size());
  for (size_t i = sides_.size(); i-- > 0;) {
    point[sides_[i].axis] = sides_[i].places[number % sides_[i].places.size()];
    number /= sides_[i].places.size();
  }
  return number == 0 ? std::optional(point) : std::nullopt;
}

} // namespace mmk::tune
