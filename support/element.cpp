#include "support/element.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace mmk {

using llvm::APFloat;

const ElementTraits &traitsOf(ElementType type) {
  using enum ElementType;
  // In the order of the enumeration.
  static const ElementTraits table[] = {
      {f32, "f32", 32, 4, &APFloat::IEEEsingle(), f32, "<f4", "np.float32", "float", 1e-3,
       0x7FC0DEAD},
      {f16, "f16", 16, 2, &APFloat::IEEEhalf(), f32, "<f2", "np.float16", "uint16_t", 1e-3, 0x7EAD},
      {bf16, "bf16", 16, 2, &APFloat::BFloat(), f32, "<u2", "ml_dtypes.bfloat16).view(np.uint16",
       "uint16_t", 1e-2, 0x7FED},
      {i8, "i8", 8, 1, nullptr, i32, "|i1", "np.int8", "int8_t", 1e-3, 0x7F},
      {i32, "i32", 32, 4, nullptr, i32, "<i4", "np.int32", "int32_t", 1e-3, 0x7F7F7F7F},
      {boolean, "boolean", 1, 1, nullptr, i32, "|i1", "np.int8", "int8_t", 1e-3, 0x7F},
  };
  return table[static_cast<size_t>(type)];
}

std::optional<ElementType> elementTypeFromSpelling(std::string_view text) {
  for (ElementType type : languageTypes)
    if (spelling(type) == text)
      return type;
  return std::nullopt;
}

namespace {

double toDouble(APFloat value) {
  bool isInexact = false; // never: every type here is within double
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  return value.convertToDouble();
}

int64_t largestInteger(const ElementTraits &traits) {
  return (int64_t(1) << (traits.bits - 1)) - 1;
}

} // namespace

double largestValue(ElementType type) {
  const ElementTraits &traits = traitsOf(type);
  if (traits.semantics)
    return toDouble(APFloat::getLargest(*traits.semantics));
  return type == ElementType::boolean ? 1 : static_cast<double>(largestInteger(traits));
}

double smallestPositive(ElementType type) {
  const ElementTraits &traits = traitsOf(type);
  return traits.semantics ? toDouble(APFloat::getSmallest(*traits.semantics)) : 1;
}

double loadElement(const void *data, size_t index, ElementType type) {
  const ElementTraits &traits = traitsOf(type);
  const char *from = static_cast<const char *>(data) + index * traits.bytes;
  if (type == ElementType::f32) { // native on the host
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, from, traits.bytes); // the hosts of mmk are little-endian
  if (!traits.semantics)
    return type == ElementType::boolean
               ? bits
               : static_cast<double>(llvm::SignExtend64(bits, traits.bits));
  const APFloat value(*traits.semantics, llvm::APInt(traits.bits, bits));
  // A NaN keeps its sign alone, as `storeElement` leaves it.
  if (value.isNaN())
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), value.isNegative() ? -1 : 1);
  return toDouble(value);
}

void storeElement(void *data, size_t index, ElementType type, double value) {
  const ElementTraits &traits = traitsOf(type);
  char *to = static_cast<char *>(data) + index * traits.bytes;
  uint32_t bits = 0;
  if (type == ElementType::f32) { // native on the host
    const auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof narrow);
  } else if (type == ElementType::boolean) {
    bits = value != 0;
  } else if (!traits.semantics) {
    const auto high = static_cast<double>(largestInteger(traits)), low = -high - 1;
    const double whole = std::nearbyint(value);
    bits = static_cast<uint32_t>(static_cast<int32_t>(std::isnan(whole) ? 0
                                                      : whole < low     ? low
                                                      : whole > high    ? high
                                                                        : whole));
  } else if (std::isnan(value)) {
    bits = APFloat::getQNaN(*traits.semantics, std::signbit(value)).bitcastToAPInt().getZExtValue();
  } else {
    APFloat narrow(value);
    bool isInexact = false;
    narrow.convert(*traits.semantics, APFloat::rmNearestTiesToEven, &isInexact);
    bits = narrow.bitcastToAPInt().getZExtValue();
  }
  std::memcpy(to, &bits, traits.bytes);
}

double roundTo(ElementType type, double value) {
  char memory[4];
  storeElement(memory, 0, type, value);
  return loadElement(memory, 0, type);
}

} // namespace mmk
