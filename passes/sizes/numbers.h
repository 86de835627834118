// Arithmetic on numbers, by the names of passes/arithmetic.h. A formula over either computes a
// size: as operations of the IR in a pass, and as a number where a variant is priced before it is
// compiled.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mmk {

struct Numbers {
  using Value = int64_t;
  static Value number(int64_t value) { return value; }
  static Value add(Value x, Value y) { return x + y; }
  static Value sub(Value x, Value y) { return x - y; }
  static Value mul(Value x, Value y) { return x * y; }
  static Value div(Value x, Value y) { return x / y; }
  static Value rem(Value x, Value y) { return x % y; }
  static Value ceilDiv(Value x, Value y) { return (x + y - 1) / y; } ///< of none below zero
  static Value min(Value x, Value y) { return std::min(x, y); }
  static Value max(Value x, Value y) { return std::max(x, y); }
  static bool isLess(Value x, Value y) { return x < y; }
  static bool isEqual(Value x, Value y) { return x == y; }
  /// condition ? x : y
  static Value choose(bool condition, Value x, Value y) { return condition ? x : y; }
};

} // namespace mmk
