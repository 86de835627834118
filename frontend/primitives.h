// The primitive operations of the language, by their spelling. The prelude defines the other
// functions.
#pragma once

#include "frontend/kernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace mmk {

struct Primitive {
  std::string_view name; ///< "exp", "+"
  unsigned operands;
  Operation operation;
};

/// Null when `name` is no primitive function.
const Primitive *primitiveFunction(std::string_view name);
std::vector<std::string> primitiveFunctionNames();

/// What stands before brackets of dimensions: sum[N](x). One operand each.
struct NamedReduction {
  std::string_view name;
  /// The combination; none: a cumulative sum.
  std::optional<Reduction> reduction;
  bool dividesByCount = false; ///< mean
};

/// Null when `name` is no reduction.
const NamedReduction *reductionOf(std::string_view name);
std::vector<std::string> reductionNames();

/// Null for what is no operator.
const Primitive *operatorOf(std::string_view symbol, size_t operands);

inline bool isComparison(Operation operation) {
  return operation >= Operation::equal && operation <= Operation::greaterEqual;
}

} // namespace mmk
