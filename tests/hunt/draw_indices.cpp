#include "tests/hunt/draw_indices.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::hunt {

std::string IndexDraw::variable(size_t dim) const { return fmt::format("i{}", dim); }

std::string IndexDraw::variables() const {
  std::vector<std::string> all;
  for (size_t dim = 0; dim < tensor_.dims.size(); ++dim)
    all.push_back(variable(dim));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string IndexDraw::number(int64_t low, int64_t high) {
  return std::to_string(random_.between(low, high));
}

std::string IndexDraw::condition(const std::vector<size_t> &on) {
  const auto any = [&] { return on[random_.below(static_cast<int64_t>(on.size()))]; };
  const size_t x = any(), y = any();
  const std::string i = variable(x), j = variable(y);
  const int64_t most = std::max(tensor_.extents[x], tensor_.extents[y]) + 1;
  switch (random_.below(7)) {
  case 0:
    return fmt::format("{} <= {} + {}", i, j, number(-3, 3));
  case 1:
    return fmt::format("{} < {}", i, number(-1, most));
  case 2:
    return fmt::format("{} > {} - {}", i, j, number(0, most));
  case 3:
    return fmt::format("({} + {}) % {} == {}", i, number(0, 3), number(1, 5), number(0, 2));
  case 4:
    return fmt::format("2*{} >= {} + {}", i, j, number(-3, most));
  case 5:
    return fmt::format("{} <= {} && {} >= {} - {}", i, j, i, j, number(0, 9));
  default:
    return fmt::format("{} == {}", i, j);
  }
}

IndexedValue IndexDraw::reduction(const std::string &name,
                                  const std::optional<IndexedTensor> &lengths) {
  const size_t rank = tensor_.dims.size();
  std::vector<size_t> reduced, all;
  for (size_t dim = 0; dim < rank; ++dim) {
    all.push_back(dim);
    if (random_.chance(50))
      reduced.push_back(dim);
  }
  if (reduced.empty())
    reduced.push_back(rank - 1);
  const auto isReduced = [&](size_t dim) {
    return std::ranges::find(reduced, dim) != reduced.end();
  };
  IndexedValue value;
  std::vector<std::string> over, own;
  for (size_t dim = 0; dim < rank; ++dim) {
    value.dims.push_back(isReduced(dim) ? "1" : tensor_.dims[dim]);
    if (isReduced(dim))
      over.push_back(variable(dim));
    own.push_back(isReduced(dim) ? fmt::format("u{}: 1", dim) : variable(dim));
  }
  std::string where = condition(all);
  // A length for each element of the first dimensions, if these are kept.
  if (lengths && lengths->dims.size() < rank && random_.chance(50)) {
    bool isKept = true;
    std::vector<std::string> at;
    for (size_t dim = 0; dim < lengths->dims.size(); ++dim) {
      isKept &= !isReduced(dim);
      at.push_back(variable(dim));
    }
    if (isKept)
      where =
          fmt::format("{} < {}[{}]", variable(reduced.back()), lengths->name, fmt::join(at, ", "));
  }
  const std::string kind = random_.oneOf(std::vector<std::string>{"max", "min", "sum"});
  const std::string element = tensor_.name + variables();
  int64_t terms = 1;
  for (size_t dim : reduced)
    terms *= tensor_.extents[dim];
  value.statement = {true, name, {}, fmt::format("[{}]", fmt::join(own, ", "))};
  if (kind == "sum") {
    value.bound = static_cast<double>(terms);
    value.statement.value.head =
        fmt::format("sum[{} | {}](select({} > 0.5, 1, 0))", fmt::join(over, ", "), where, element);
  } else {
    // Over none it is infinite.
    value.statement.value.head =
        fmt::format("{}[{} | {}]({})", kind, fmt::join(over, ", "), where, element);
  }
  return value;
}

/// Of each index, its variable with a shift, mirrored, or divided.
std::string IndexDraw::window() {
  std::vector<std::string> indices;
  bool isPadded = false;
  for (size_t dim = 0; dim < tensor_.dims.size(); ++dim) {
    const std::string i = variable(dim);
    switch (random_.below(5)) {
    case 0:
      indices.push_back(fmt::format("{} + {}", i, number(-3, 3)));
      isPadded = true;
      break;
    case 1:
      indices.push_back(fmt::format("{} - 1 - {}", tensor_.dims[dim], i));
      break;
    case 2:
      indices.push_back(fmt::format("{} / {}", i, number(1, 4)));
      break;
    case 3:
      indices.push_back(fmt::format("2*{} - {}", i, number(0, 4)));
      isPadded = true;
      break;
    default:
      indices.push_back(i);
    }
  }
  if (!isPadded)
    return fmt::format("{}[{}]", tensor_.name, fmt::join(indices, ", "));
  return fmt::format("pad({}, {})[{}]", tensor_.name, random_.oneOf({"0", "-1", "0.5"}),
                     fmt::join(indices, ", "));
}

/// An integer of positions.
std::string IndexDraw::whole() {
  const int64_t rank = static_cast<int64_t>(tensor_.dims.size());
  const std::string i = variable(random_.below(rank)), j = variable(random_.below(rank));
  return random_.oneOf(std::vector<std::string>{fmt::format("({} - 2*{})", i, j),
                                                fmt::format("(3*{} + {}) % {}", i, j, number(1, 7)),
                                                fmt::format("floor({} / {})", i, number(1, 5))});
}

IndexedValue IndexDraw::draw(const std::string &name, const std::optional<IndexedTensor> &lengths) {
  if (random_.chance(50))
    return reduction(name, lengths);
  std::vector<size_t> all;
  int64_t most = 1;
  for (size_t dim = 0; dim < tensor_.dims.size(); ++dim) {
    all.push_back(dim);
    most = std::max(most, tensor_.extents[dim]);
  }
  // Where a variable stands alone nowhere, it says what it ranges over.
  std::vector<std::string> ranges;
  for (size_t dim : all)
    ranges.push_back(fmt::format("{}: {}", variable(dim), tensor_.dims[dim]));
  IndexedValue value{{true, name, {}, fmt::format("[{}]", fmt::join(ranges, ", "))},
                     tensor_.dims,
                     std::max(bound_, 1.0)};
  std::string &text = value.statement.value.head;
  const std::string element = tensor_.name + variables();
  switch (random_.below(4)) {
  case 0:
    text = fmt::format("select({}, {}, 0.25)", condition(all), element);
    break;
  case 1:
    text = fmt::format("select({} > 0, {}, {})", element, whole(), whole());
    value.bound = 4.0 * static_cast<double>(most);
    break;
  case 2:
    text = fmt::format("select(random{}({}) < 0.5, {}, -1)", variables(), number(-5, 9), element);
    break;
  default:
    text = window();
  }
  return value;
}

} // namespace mmk::hunt
