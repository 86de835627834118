#include "frontend/kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <set>

namespace mmk {
namespace {

/// Whether `*` in the pattern can stand for parts of `text` so that both are equal.
bool matches(std::string_view pattern, std::string_view text) {
  // The last star matches one more character whenever the text after it does not match.
  size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

} // namespace

bool Schedule::isFor(std::string_view machine) const {
  return machinePattern.empty() || matches(machinePattern, machine);
}

const Schedule *Kernel::scheduleFor(std::string_view machine) const {
  const Schedule *best = nullptr;
  std::ptrdiff_t bestLiterals = -1;
  for (const Schedule &schedule : schedules) {
    const std::string &pattern = schedule.machinePattern;
    if (!schedule.isFor(machine))
      continue;
    // The general schedule ranks below the pattern `*`, which has no literal characters either.
    const auto stars = std::ranges::count(pattern, '*');
    const auto literals = static_cast<std::ptrdiff_t>(pattern.size()) - stars;
    const std::ptrdiff_t weight = 2 * literals + (pattern.empty() ? 0 : 1);
    if (weight > bestLiterals) {
      best = &schedule;
      bestLiterals = weight;
    }
  }
  return best;
}

std::vector<std::string> Kernel::shownDimensions() const {
  std::vector<std::string> shown;
  const auto show = [&](const std::string &name) {
    const auto own = std::ranges::find(derived, name, &DerivedDimension::name);
    const bool isRole = own != derived.end() && own->isRole;
    if (!isRole && std::ranges::find(shown, name) == shown.end())
      shown.push_back(name);
  };
  for (const Result &result : results)
    for (const Dimension &dimension : result.shape)
      if (!dimension.isLiteral())
        show(dimension.name);
  std::ranges::for_each(dimensions, show);
  return shown;
}

bool Kernel::hasProduct() const {
  return std::ranges::any_of(
      values, [](const auto &value) { return value->operation == Operation::product; });
}

bool Kernel::hasReduction() const {
  return std::ranges::any_of(
      values, [](const auto &value) { return value->operation == Operation::reduce; });
}

/// Whether an operand of a product, behind movements and conversions, is a window.
static bool isWindow(const Value &value) {
  const auto isSum = [&](const Index &index) {
    size_t read = 0;
    for (size_t d = 0; d < value.shape.size(); ++d)
      read += index->reads(fmt::format("#{}", d)) ? 1 : 0;
    return read > 1;
  };
  switch (value.operation) {
  case Operation::access:
    return std::ranges::any_of(value.indices, isSum) || isWindow(*value.operands[0]);
  case Operation::reshape:
  case Operation::squeeze:
  case Operation::transpose:
  case Operation::cast:
    return isWindow(*value.operands[0]);
  default:
    return false;
  }
}

bool Kernel::hasWindow() const {
  return std::ranges::any_of(values, [](const auto &value) {
    return value->operation == Operation::product &&
           (isWindow(*value->operands[0]) || isWindow(*value->operands[1]));
  });
}

/// The nearest product, as it was split in the dimensions of the language, behind operations on
/// elements and movements of them; null without one.
static const Value *productBehind(const Value &value, std::set<const Value *> &seen) {
  const bool isElementwise =
      value.operation >= Operation::negate && value.operation <= Operation::cast;
  if (value.operation == Operation::product ||
      (value.operation == Operation::reshape && value.operands[0]->operation == Operation::product))
    return &value;
  if (!seen.insert(&value).second || (!isElementwise && value.operation != Operation::access &&
                                      value.operation != Operation::transpose))
    return nullptr;
  for (const Value *operand : value.operands)
    if (const Value *found = productBehind(*operand, seen))
      return found;
  return nullptr;
}

std::optional<PooledProduct> pooledProduct(const Value &value) {
  constexpr int64_t mostTaps = 9;
  const auto isLiteral = [&](size_t dim) { return value.operands[0]->shape[dim].isLiteral(); };
  if (value.operation != Operation::reduce || !isFloat(value.type) ||
      !std::ranges::all_of(value.along, isLiteral))
    return std::nullopt;
  Shape kept = value.operands[0]->shape;
  int64_t taps = 1;
  for (const size_t dim : std::views::reverse(value.along)) {
    taps *= kept[dim].literal;
    kept.erase(kept.begin() + ptrdiff_t(dim));
  }
  std::set<const Value *> seen;
  const Value *product =
      taps > 1 && taps <= mostTaps ? productBehind(*value.operands[0], seen) : nullptr;
  if (!product || product->shape.size() != kept.size())
    return std::nullopt;
  const bool isSplit = product->operation == Operation::reshape;
  const auto columns = kept.end() - ptrdiff_t(isSplit ? product->along.back() : 1);
  const auto rows = columns - ptrdiff_t(isSplit ? product->along.end()[-2] : 1);
  return PooledProduct{{rows, columns}, {columns, kept.end()}};
}

std::vector<GroupedDimension> groupedDimensions(const Kernel &kernel) {
  std::vector<GroupedDimension> all;
  for (const auto &value : kernel.values) {
    if (value->operation != Operation::access)
      continue;
    for (size_t dim = 0; dim < value->indices.size(); ++dim) {
      const Rule &index = *value->indices[dim];
      if (index.kind != Rule::Kind::floorDivide || !index.operands[0]->choice.starts_with('#'))
        continue;
      const std::optional<int64_t> count =
          numberOf(*index.operands[1], [&](std::string_view name) -> std::optional<int64_t> {
            const auto whole = std::ranges::find(kernel.wholes, name, &WholeParameter::name);
            return whole == kernel.wholes.end() ? std::nullopt : std::optional(whole->value);
          });
      const size_t position = std::stoul(index.operands[0]->choice.substr(1));
      if (count && *count > 1)
        all.push_back({value->shape[position], value->operands[0]->shape[dim], *count});
    }
  }
  return all;
}

bool Kernel::hasPooling() const {
  return std::ranges::any_of(values,
                             [](const auto &value) { return pooledProduct(*value).has_value(); });
}

bool isPermutation(const Value &access, std::vector<std::optional<size_t>> &places) {
  const Shape &operand = access.operands[0]->shape;
  if (access.operands.size() != 1)
    return false;
  std::vector<bool> taken(access.shape.size(), false);
  for (size_t d = 0; d < operand.size(); ++d) {
    const Rule &index = *access.indices[d];
    if (index.kind == Rule::Kind::number && index.number == 0 && operand[d] == Dimension{"", 1}) {
      places.push_back(std::nullopt);
      continue;
    }
    if (index.kind != Rule::Kind::choice || !index.choice.starts_with('#'))
      return false;
    const size_t place = std::stoul(index.choice.substr(1));
    if (taken[place] || access.shape[place] != operand[d])
      return false;
    taken[place] = true;
    places.push_back(place);
  }
  return true;
}

std::vector<std::string> Kernel::boundDimensions() const {
  std::vector<std::string> bound;
  for (const std::string &dimension : dimensions)
    if (!isDerived(dimension))
      bound.push_back(dimension);
  return bound;
}

bool Kernel::isDerived(std::string_view dimension) const {
  return std::ranges::find(derived, dimension, &DerivedDimension::name) != derived.end();
}

double extentOf(const Value &value, const std::map<std::string, int64_t> &dims) {
  double product = 1;
  for (const Dimension &dimension : value.dimensions)
    product *=
        static_cast<double>(dimension.isLiteral() ? dimension.literal : dims.at(dimension.name));
  return product;
}

std::string spelling(const Shape &shape) {
  std::string text;
  for (const Dimension &dimension : shape) {
    text += text.empty() ? "[" : ", ";
    text += dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
  }
  return text.empty() ? text : text + "]";
}

std::string spelling(ElementType type, const Shape &shape) {
  return std::string(spelling(type)) + spelling(shape);
}

std::string spelling(const Result &result) {
  return spelling(result.type, result.isScalar ? Shape() : result.shape);
}

} // namespace mmk
