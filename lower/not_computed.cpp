#include "lower/not_computed.h"

#include <fmt/format.h>

namespace mmk {
namespace {

std::string_view reasonAgainst(const Value &value) {
  std::vector<std::optional<size_t>> ignored;
  switch (value.operation) {
  case Operation::position:
    return "an index variable as a number";
  case Operation::random:
    return "random numbers";
  case Operation::access:
    return value.operands.size() > 1 ? "pad(...)"
           : !isPermutation(value, ignored)
               ? "an index that is computed, or is not a variable alone"
               : "";
  case Operation::reduce:
    return value.operands.size() > 1 ? "a reduction with a condition" : "";
  default:
    return "";
  }
}

} // namespace

Diagnostics notComputed(const Kernel &kernel) {
  Diagnostics found;
  for (const auto &value : kernel.values)
    if (const std::string_view what = reasonAgainst(*value); !what.empty())
      found.error(value->where,
                  fmt::format("no machine computes {} yet; --emit=mmk writes its IR", what));
  return found;
}

} // namespace mmk
