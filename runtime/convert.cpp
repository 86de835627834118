#include "runtime/convert.h"

#include "runtime/clones.h"

#include <bit>
#include <cmath>
#include <limits>

namespace mmk {
namespace {

// Only integer arithmetic and exact or correctly rounded operations below: no width of vector, and
// no conversion instruction that a host lacks, can change a result. llvm::APFloat converts one
// value at a time, some hundred times slower than these loops; `loadElement` and `storeElement` use
// it, and the tests compare these loops with them.

inline float fromHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = half & 0x7C00u;
  const uint32_t shifted = static_cast<uint32_t>(half & 0x7FFFu) << 13;
  const uint32_t normal = shifted + ((127 - 15) << 23);
  const uint32_t infinite = shifted + ((255 - 31) << 23);
  // A subnormal is the fraction of a number just above 2^-14, less 2^-14.
  const float subnormal = std::bit_cast<float>(shifted + ((127 - 14) << 23)) - 0x1p-14f;
  const uint32_t magnitude = exponent == 0         ? std::bit_cast<uint32_t>(subnormal)
                             : exponent == 0x7C00u ? infinite
                                                   : normal;
  return std::bit_cast<float>(sign | magnitude);
}

/// A narrow float by its bits of exponent and of fraction.
template <int exponentBits, int fractionBits> inline uint16_t toNarrowFloat(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr int shift = 52 - fractionBits;
  constexpr uint64_t infinity = ((uint64_t{1} << exponentBits) - 1) << fractionBits;
  constexpr uint64_t quietNaN = infinity | (uint64_t{1} << (fractionBits - 1));
  // The number whose last place is the last place of the narrow type's subnormals.
  constexpr double align =
      std::bit_cast<double>(static_cast<uint64_t>(1023 + 1 - bias - fractionBits + 52) << 52);
  constexpr double smallestNormal =
      std::bit_cast<double>(static_cast<uint64_t>(1023 + 1 - bias) << 52);

  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = bits >> 63 << (exponentBits + fractionBits);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  // Rounds to nearest even; a carry out of the fraction reaches the exponent, as it should.
  const uint64_t half = (uint64_t{1} << (shift - 1)) - 1;
  const uint64_t rounded = (magnitude + half + (magnitude >> shift & 1)) >> shift;
  const uint64_t normal = rounded - (static_cast<uint64_t>(1023 - bias) << fractionBits);
  const uint64_t finite = normal < infinity ? normal : infinity;
  const double size = std::bit_cast<double>(magnitude);
  const uint64_t subnormal = std::bit_cast<uint64_t>(size + align) - std::bit_cast<uint64_t>(align);
  const uint64_t number = size < smallestNormal ? subnormal : finite;
  return static_cast<uint16_t>(sign | (value != value ? quietNaN : number));
}

template <typename T> inline T toInteger(double value) {
  constexpr double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const double whole = std::nearbyint(value);
  const double clamped = whole < low ? low : whole > high ? high : whole;
  return static_cast<T>(clamped == clamped ? clamped : 0);
}

MMK_CLONES void widenFloat(const float *source, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = source[i];
}

MMK_CLONES void widenHalf(const uint16_t *source, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = fromHalf(source[i]);
}

MMK_CLONES void widenBrain(const uint16_t *source, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = std::bit_cast<float>(static_cast<uint32_t>(source[i]) << 16);
}

MMK_CLONES void widenByte(const int8_t *source, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = source[i];
}

MMK_CLONES void widenInteger(const int32_t *source, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = source[i];
}

MMK_CLONES void narrowFloat(const double *source, float *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = static_cast<float>(source[i]);
}

MMK_CLONES void narrowHalf(const double *source, uint16_t *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = toNarrowFloat<5, 10>(source[i]);
}

MMK_CLONES void narrowBrain(const double *source, uint16_t *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = toNarrowFloat<8, 7>(source[i]);
}

MMK_CLONES void narrowByte(const double *source, int8_t *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = toInteger<int8_t>(source[i]);
}

MMK_CLONES void narrowInteger(const double *source, int32_t *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = toInteger<int32_t>(source[i]);
}

} // namespace

// Types that have no loop here are converted one by one; the element table says how.
void widen(const void *source, ElementType type, double *target, int64_t count) {
  switch (type) {
  case ElementType::f32:
    return widenFloat(static_cast<const float *>(source), target, count);
  case ElementType::f16:
    return widenHalf(static_cast<const uint16_t *>(source), target, count);
  case ElementType::bf16:
    return widenBrain(static_cast<const uint16_t *>(source), target, count);
  case ElementType::i8:
  case ElementType::boolean: // 0 and 1
    return widenByte(static_cast<const int8_t *>(source), target, count);
  case ElementType::i32:
    return widenInteger(static_cast<const int32_t *>(source), target, count);
  default:
    for (int64_t i = 0; i < count; ++i)
      target[i] = loadElement(source, i, type);
  }
}

void narrow(const double *source, ElementType type, void *target, int64_t count) {
  switch (type) {
  case ElementType::f32:
    return narrowFloat(source, static_cast<float *>(target), count);
  case ElementType::f16:
    return narrowHalf(source, static_cast<uint16_t *>(target), count);
  case ElementType::bf16:
    return narrowBrain(source, static_cast<uint16_t *>(target), count);
  case ElementType::i8:
    return narrowByte(source, static_cast<int8_t *>(target), count);
  case ElementType::i32:
    return narrowInteger(source, static_cast<int32_t *>(target), count);
  default:
    for (int64_t i = 0; i < count; ++i)
      storeElement(target, i, type, source[i]);
  }
}

} // namespace mmk
