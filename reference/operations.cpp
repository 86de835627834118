#include "reference/operations.h"

#include "runtime/clones.h"
#include "runtime/convert.h"

#include <algorithm>
#include <cmath>

namespace mmk {
namespace {

inline double toF32(double value) { return static_cast<float>(value); }

// NaN wins, and -0 is below 0: as IEEE 754-2019 has minimum and maximum.
inline double minimum(double x, double y) {
  if (x != x || y != y)
    return x + y;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}
inline double maximum(double x, double y) {
  if (x != x || y != y)
    return x + y;
  return x > y || (x == y && !std::signbit(x)) ? x : y;
}

void round(const double *x, ElementType type, double *result, int64_t count) {
  constexpr int64_t step = 256;
  alignas(64) char narrowed[step * sizeof(float)];
  for (int64_t i = 0; i < count; i += step) {
    const int64_t n = std::min(step, count - i);
    narrow(x + i, type, narrowed, n);
    widen(narrowed, type, result + i, n);
  }
}

MMK_CLONES void apply(Operation operation, const double *x, const double *y, const double *z,
                      double *result, int64_t count) {
  const auto each = [result, count](auto &&compute) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = compute(i);
  };
  switch (operation) {
  case Operation::negate:
    return each([=](int64_t i) { return -x[i]; });
  case Operation::abs:
    return each([=](int64_t i) { return std::fabs(x[i]); });
  case Operation::exp:
    return each([=](int64_t i) { return toF32(std::exp(x[i])); });
  case Operation::log:
    return each([=](int64_t i) { return toF32(std::log(x[i])); });
  case Operation::log1p:
    return each([=](int64_t i) { return toF32(std::log1p(x[i])); });
  case Operation::expm1:
    return each([=](int64_t i) { return toF32(std::expm1(x[i])); });
  case Operation::sqrt:
    return each([=](int64_t i) { return toF32(std::sqrt(x[i])); });
  case Operation::tanh:
    return each([=](int64_t i) { return toF32(std::tanh(x[i])); });
  case Operation::erf:
    return each([=](int64_t i) { return toF32(std::erf(x[i])); });
  case Operation::floor:
    return each([=](int64_t i) { return std::floor(x[i]); });
  case Operation::ceil:
    return each([=](int64_t i) { return std::ceil(x[i]); });
  case Operation::add:
    return each([=](int64_t i) { return toF32(x[i] + y[i]); });
  case Operation::subtract:
    return each([=](int64_t i) { return toF32(x[i] - y[i]); });
  case Operation::multiply:
    return each([=](int64_t i) { return toF32(x[i] * y[i]); });
  case Operation::divide:
    return each([=](int64_t i) { return toF32(x[i] / y[i]); });
  case Operation::minimum:
    return each([=](int64_t i) { return minimum(x[i], y[i]); });
  case Operation::maximum:
    return each([=](int64_t i) { return maximum(x[i], y[i]); });
  case Operation::equal:
    return each([=](int64_t i) { return x[i] == y[i] ? 1.0 : 0.0; });
  case Operation::notEqual:
    return each([=](int64_t i) { return x[i] != y[i] ? 1.0 : 0.0; });
  case Operation::less:
    return each([=](int64_t i) { return x[i] < y[i] ? 1.0 : 0.0; });
  case Operation::lessEqual:
    return each([=](int64_t i) { return x[i] <= y[i] ? 1.0 : 0.0; });
  case Operation::greater:
    return each([=](int64_t i) { return x[i] > y[i] ? 1.0 : 0.0; });
  case Operation::greaterEqual:
    return each([=](int64_t i) { return x[i] >= y[i] ? 1.0 : 0.0; });
  case Operation::select:
    return each([=](int64_t i) { return x[i] != 0 ? y[i] : z[i]; });
  case Operation::logicalAnd:
    return each([=](int64_t i) { return x[i] != 0 && y[i] != 0 ? 1.0 : 0.0; });
  case Operation::logicalOr:
    return each([=](int64_t i) { return x[i] != 0 || y[i] != 0 ? 1.0 : 0.0; });
  case Operation::logicalNot:
    return each([=](int64_t i) { return x[i] == 0 ? 1.0 : 0.0; });
  case Operation::cast:
  case Operation::parameter:
  case Operation::constant:
  case Operation::product:
  case Operation::transpose:
  case Operation::reduce:
  case Operation::cumulate:
  case Operation::extent:
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::access:
  case Operation::position:
  case Operation::random:
  case Operation::remainder: // of integers alone
    return;                  // not here: see `round`, and the others are not elementwise
  }
}

/// Modulo 2^32.
double lowBits(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }

int64_t remainder(int64_t x, int64_t y) {
  if (y == 0)
    return 0;
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

void applyToIntegers(Operation operation, const double *x, const double *y, double *result,
                     int64_t count) {
  const auto each = [&](auto &&compute) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = lowBits(compute(static_cast<int64_t>(x[i]), y ? static_cast<int64_t>(y[i]) : 0));
  };
  switch (operation) {
  case Operation::negate:
    return each([](int64_t x, int64_t) { return -x; });
  case Operation::abs:
    return each([](int64_t x, int64_t) { return std::abs(x); });
  case Operation::add:
    return each([](int64_t x, int64_t y) { return x + y; });
  case Operation::subtract:
    return each([](int64_t x, int64_t y) { return x - y; });
  case Operation::multiply:
    return each([](int64_t x, int64_t y) { return x * y; });
  case Operation::remainder:
    return each(remainder);
  case Operation::minimum:
    return each([](int64_t x, int64_t y) { return std::min(x, y); });
  default:
    return each([](int64_t x, int64_t y) { return std::max(x, y); });
  }
}

} // namespace

void applyElementwise(const Value &value, const double *const *operands, double *result,
                      int64_t count) {
  if (value.operation == Operation::cast)
    return round(operands[0], value.type, result, count);
  const size_t given = value.operands.size();
  if (value.type == ElementType::i32 && value.operation != Operation::select)
    return applyToIntegers(value.operation, operands[0], given > 1 ? operands[1] : nullptr, result,
                           count);
  apply(value.operation, operands[0], given > 1 ? operands[1] : nullptr,
        given > 2 ? operands[2] : nullptr, result, count);
}

} // namespace mmk
