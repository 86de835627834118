// The abstract value of an integer that depends on dimensions: an interval and a congruence. Slots
// are values modulo copies and branches are comparisons, so these two decide slots and branches.
#pragma once

#include <cstdint>

namespace mmk::sync {

/// lo <= x <= hi, and x = rem modulo mod; a mod of 0: x is rem. Bounds beyond `unbounded` are none.
struct Number {
  static constexpr int64_t unbounded = int64_t(1) << 60;
  int64_t lo = -unbounded, hi = unbounded, mod = 1, rem = 0;

  static Number exactly(int64_t value) { return {value, value, 0, value}; }
  static Number between(int64_t lo, int64_t hi);
  /// The x = rem modulo mod from lo on.
  static Number from(int64_t lo, int64_t mod, int64_t rem);

  bool isExact() const { return lo == hi; }
  bool isBounded() const { return lo > -unbounded && hi < unbounded; }
  /// Intersects with an interval; the result must not be empty.
  Number within(int64_t low, int64_t high) const;
  /// Whether x modulo `modulus` is known.
  bool knowsModulo(int64_t modulus) const { return mod % modulus == 0; }
};

Number add(Number x, Number y);
Number subtract(Number x, Number y);
Number multiply(Number x, Number y);
Number minimum(Number x, Number y);
Number maximum(Number x, Number y);
/// The join of the two.
Number either(Number x, Number y);
/// By a positive number; `up` rounds to plus infinity, else to zero.
Number divide(Number x, int64_t by, bool up);
/// By a positive number, of the sign of x.
Number remainder(Number x, int64_t by);

/// Rounded to plus infinity.
inline int64_t ceilDiv(int64_t x, int64_t by) { return x / by + (x % by > 0); }
/// From 0 to by - 1.
inline int64_t modulo(int64_t x, int64_t by) { return (x % by + by) % by; }

} // namespace mmk::sync
