#include "frontend/whole_range.h"

#include "schedule/rule.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

struct WholeRange {
  double low = 0, high = 0;
};

class RangeReader {
public:
  RangeReader(const Value &value, const std::map<std::string, int64_t> &dims)
      : value_(value), dims_(dims) {}

  WholeRange of(const Rule &rule) {
    std::vector<WholeRange> operands;
    for (const auto &operand : rule.operands)
      operands.push_back(of(*operand));
    const WholeRange range = combined(rule, operands);
    largest = std::max({largest, std::abs(range.low), std::abs(range.high)});
    return range;
  }

  double largest = 0; ///< magnitude of all that it computes

private:
  WholeRange combined(const Rule &rule, const std::vector<WholeRange> &x) const {
    using Kind = Rule::Kind;
    switch (rule.kind) {
    case Kind::number:
      return {double(rule.number), double(rule.number)};
    case Kind::choice:
      return named(rule.choice);
    case Kind::add:
      return {x[0].low + x[1].low, x[0].high + x[1].high};
    case Kind::subtract:
      return {x[0].low - x[1].high, x[0].high - x[1].low};
    case Kind::multiply: {
      const auto [low, high] = std::minmax(
          {x[0].low * x[1].low, x[0].low * x[1].high, x[0].high * x[1].low, x[0].high * x[1].high});
      return {low, high};
    }
    case Kind::floorRemainder: {
      const double most = std::max(std::abs(x[1].low), std::abs(x[1].high));
      return {-most, most};
    }
    case Kind::floorDivide: {
      const double most = std::max(std::abs(x[0].low), std::abs(x[0].high));
      return {-most, most};
    }
    default: // a condition
      return {};
    }
  }

  /// "#1" is a position in the second dimension of the value.
  WholeRange named(const std::string &name) const {
    if (!name.starts_with('#')) {
      const auto found = dims_.find(name);
      const double extent = found == dims_.end() ? 0 : double(found->second);
      return {extent, extent};
    }
    const Dimension &dimension = value_.shape[std::stoul(name.substr(1))];
    return {0,
            (dimension.isLiteral() ? double(dimension.literal) : named(dimension.name).high) - 1};
  }

  const Value &value_;
  const std::map<std::string, int64_t> &dims_;
};

} // namespace

std::string beyond32Bits(const Kernel &kernel, const std::map<std::string, int64_t> &dims) {
  for (const auto &value : kernel.values) {
    if (value->operation != Operation::position)
      continue;
    RangeReader reader(*value, dims);
    reader.of(*value->indices[0]);
    if (reader.largest < 2147483648.0)
      continue;
    const auto [file, place] = std::pair(value->where.file, value->where);
    const std::string text =
        file ? std::string(file->text().substr(place.begin, place.end - place.begin)) : "a number";
    return fmt::format("a number in '{}' may be {:.0f} here, and AI cores compute in 32 bits; "
                       "legal: smaller dimensions, or the machine host",
                       text, reader.largest);
  }
  return "";
}

} // namespace mmk
