#include "support/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace mmk {

size_t sizeInBytes(ElementType type) {
  switch (type) {
  case ElementType::f32:
  case ElementType::i32:
    return 4;
  case ElementType::f16:
  case ElementType::bf16:
    return 2;
  case ElementType::i8:
  case ElementType::boolean:
    return 1;
  }
  return 0;
}

std::string_view spelling(ElementType type) {
  switch (type) {
  case ElementType::f32:
    return "f32";
  case ElementType::f16:
    return "f16";
  case ElementType::bf16:
    return "bf16";
  case ElementType::i8:
    return "i8";
  case ElementType::i32:
    return "i32";
  case ElementType::boolean:
    return "boolean";
  }
  return "";
}

std::optional<ElementType> elementTypeFromSpelling(std::string_view text) {
  for (ElementType type :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::i32})
    if (spelling(type) == text)
      return type;
  return std::nullopt;
}

ElementType accumulatorOf(ElementType operand) {
  return isFloat(operand) ? ElementType::f32 : ElementType::i32;
}

namespace {

// Narrow floats by their format alone (bits of exponent and of fraction), so that the result is
// the same on every host: no host has all of these conversions from double without rounding twice.
uint32_t encode(double value, int exponentBits, int fractionBits) {
  const uint32_t sign = std::signbit(value) ? 1u << (exponentBits + fractionBits) : 0;
  const uint32_t infinity = ((1u << exponentBits) - 1) << fractionBits;
  if (std::isnan(value))
    return sign | infinity | (1u << (fractionBits - 1));
  const double magnitude = std::fabs(value);
  const int bias = (1 << (exponentBits - 1)) - 1;
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // In units of the last place; nearbyint rounds ties to even, and a carry reaches the exponent.
  double units = std::nearbyint(std::ldexp(magnitude, fractionBits - exponent));
  auto bits = static_cast<uint64_t>(units);
  if (bits >= (2ull << fractionBits)) {
    bits >>= 1;
    ++exponent;
  }
  if (exponent > bias)
    return sign | infinity;
  // A normal number's leading one adds 1 to the exponent field; a subnormal has none.
  uint32_t field = static_cast<uint32_t>(exponent + bias - 1) << fractionBits;
  return sign | (field + static_cast<uint32_t>(bits));
}

double decode(uint32_t bits, int exponentBits, int fractionBits) {
  const bool negative = bits >> (exponentBits + fractionBits) & 1;
  const int field = static_cast<int>(bits >> fractionBits & ((1u << exponentBits) - 1));
  const uint32_t fraction = bits & ((1u << fractionBits) - 1);
  const int bias = (1 << (exponentBits - 1)) - 1;
  double magnitude;
  if (field == (1 << exponentBits) - 1)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (field == 0)
    magnitude = std::ldexp(fraction, 1 - bias - fractionBits);
  else
    magnitude = std::ldexp(fraction + (1u << fractionBits), field - bias - fractionBits);
  return negative ? -magnitude : magnitude;
}

template <typename T> T at(const void *data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> void put(void *data, size_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value, sizeof(T));
}

template <typename T> T saturate(double value) {
  if (std::isnan(value))
    return 0;
  value = std::nearbyint(value);
  constexpr double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

} // namespace

double loadElement(const void *data, size_t index, ElementType type) {
  switch (type) {
  case ElementType::f32:
    return at<float>(data, index);
  case ElementType::f16:
    return decode(at<uint16_t>(data, index), 5, 10);
  case ElementType::bf16:
    return std::bit_cast<float>(static_cast<uint32_t>(at<uint16_t>(data, index)) << 16);
  case ElementType::i8:
    return at<int8_t>(data, index);
  case ElementType::i32:
    return at<int32_t>(data, index);
  case ElementType::boolean:
    return at<uint8_t>(data, index);
  }
  return 0;
}

void storeElement(void *data, size_t index, ElementType type, double value) {
  switch (type) {
  case ElementType::f32:
    return put<float>(data, index, static_cast<float>(value));
  case ElementType::f16:
    return put<uint16_t>(data, index, static_cast<uint16_t>(encode(value, 5, 10)));
  case ElementType::bf16:
    return put<uint16_t>(data, index, static_cast<uint16_t>(encode(value, 8, 7)));
  case ElementType::i8:
    return put<int8_t>(data, index, saturate<int8_t>(value));
  case ElementType::i32:
    return put<int32_t>(data, index, saturate<int32_t>(value));
  case ElementType::boolean:
    return put<uint8_t>(data, index, value != 0);
  }
}

double roundTo(ElementType type, double value) {
  char memory[4];
  storeElement(memory, 0, type, value);
  return loadElement(memory, 0, type);
}

} // namespace mmk
