#include "sync/verify_sync_number.h"

#include <algorithm>
#include <numeric>

namespace mmk::sync {
namespace {

int64_t clamp(__int128 value) {
  const __int128 bound = Number::unbounded;
  return static_cast<int64_t>(std::clamp(value, -bound, bound));
}

/// x = rem modulo mod; on overflow nothing is known.
void setCongruence(Number &x, __int128 mod, __int128 rem) {
  if (mod < 0)
    mod = -mod;
  if (mod >= Number::unbounded || rem >= Number::unbounded || rem <= -Number::unbounded) {
    x.mod = 1;
    x.rem = 0;
    return;
  }
  x.mod = static_cast<int64_t>(mod);
  x.rem = x.mod ? modulo(static_cast<int64_t>(rem), x.mod) : static_cast<int64_t>(rem);
}

Number made(__int128 lo, __int128 hi, __int128 mod, __int128 rem) {
  Number x;
  x.lo = clamp(lo);
  x.hi = clamp(hi);
  setCongruence(x, mod, rem);
  if (x.lo == x.hi)
    return Number::exactly(x.lo);
  return x;
}

__int128 gcd(__int128 x, __int128 y) {
  while (y) {
    const __int128 r = x % y;
    x = y;
    y = r;
  }
  return x < 0 ? -x : x;
}

} // namespace

Number Number::between(int64_t lo, int64_t hi) { return made(lo, hi, 1, 0); }
Number Number::from(int64_t lo, int64_t mod, int64_t rem) { return made(lo, unbounded, mod, rem); }

Number Number::within(int64_t low, int64_t high) const {
  return made(std::max(lo, low), std::min(hi, high), mod, rem);
}

// Most numbers are exact, and an exploration adds and multiplies millions of them.
Number add(Number x, Number y) {
  if (x.isExact() && y.isExact())
    return Number::exactly(clamp(static_cast<__int128>(x.lo) + y.lo));
  return made(static_cast<__int128>(x.lo) + y.lo, static_cast<__int128>(x.hi) + y.hi,
              std::gcd(x.mod, y.mod), static_cast<__int128>(x.rem) + y.rem);
}

Number subtract(Number x, Number y) {
  if (x.isExact() && y.isExact())
    return Number::exactly(clamp(static_cast<__int128>(x.lo) - y.lo));
  return made(static_cast<__int128>(x.lo) - y.hi, static_cast<__int128>(x.hi) - y.lo,
              std::gcd(x.mod, y.mod), static_cast<__int128>(x.rem) - y.rem);
}

// (m i + r) (n j + s) = mn ij + ms i + nr j + rs.
Number multiply(Number x, Number y) {
  if (x.isExact() && y.isExact())
    return Number::exactly(clamp(static_cast<__int128>(x.lo) * y.lo));
  const __int128 corners[] = {
      static_cast<__int128>(x.lo) * y.lo, static_cast<__int128>(x.lo) * y.hi,
      static_cast<__int128>(x.hi) * y.lo, static_cast<__int128>(x.hi) * y.hi};
  const __int128 m = x.mod, n = y.mod, r = x.rem, s = y.rem;
  return made(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
              gcd(gcd(m * n, m * s), n * r), r * s);
}

Number either(Number x, Number y) {
  const __int128 difference = static_cast<__int128>(x.rem) - y.rem;
  return made(std::min(x.lo, y.lo), std::max(x.hi, y.hi), gcd(gcd(x.mod, y.mod), difference),
              x.rem);
}

Number minimum(Number x, Number y) {
  if (x.hi <= y.lo)
    return x;
  if (y.hi <= x.lo)
    return y;
  return either(x, y).within(std::min(x.lo, y.lo), std::min(x.hi, y.hi));
}

Number maximum(Number x, Number y) {
  if (x.lo >= y.hi)
    return x;
  if (y.lo >= x.hi)
    return y;
  return either(x, y).within(std::max(x.lo, y.lo), std::max(x.hi, y.hi));
}

Number divide(Number x, int64_t by, bool up) {
  auto quotient = [&](int64_t value) {
    if (value <= -Number::unbounded || value >= Number::unbounded)
      return value;
    return up ? ceilDiv(value, by) : value / by;
  };
  // Without a remainder the congruence is divided too; else only the interval is known.
  const bool divides = x.mod % by == 0 && x.rem % by == 0;
  return made(quotient(x.lo), quotient(x.hi), divides ? x.mod / by : 1, divides ? x.rem / by : 0);
}

Number remainder(Number x, int64_t by) {
  if (x.lo >= 0 && x.knowsModulo(by))
    return Number::exactly(modulo(x.rem, by));
  if (x.lo >= 0 && x.hi < by)
    return x;
  return made(x.lo >= 0 ? 0 : 1 - by, by - 1, std::gcd(x.mod, by), x.rem);
}

} // namespace mmk::sync
