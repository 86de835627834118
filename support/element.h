// Element types of tensors, their sizes and their conversions: the one vocabulary that the
// language, the compiler, the emulated core and the reference share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mmk {

/// The types of the language, and `boolean`, which only comparisons yield and only `select` reads.
enum class ElementType { f32, f16, bf16, i8, i32, boolean };

/// Bytes of one element in memory; 1 for boolean.
size_t sizeInBytes(ElementType type);

/// As spelled in a .mmk file: "f16"; "boolean" for comparisons.
std::string_view spelling(ElementType type);
std::optional<ElementType> elementTypeFromSpelling(std::string_view text);

inline bool isFloat(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}

/// What `@` accumulates in for operands of this type: f32 for floats, i32 for i8.
ElementType accumulatorOf(ElementType operand);

/// Reads element `index` of a dense array of `type`; every value of every type is exact in double.
double loadElement(const void *data, size_t index, ElementType type);

/// Rounds once, to nearest even, and stores. Floats overflow to infinity and keep NaN; integers
/// saturate, and NaN becomes 0.
void storeElement(void *data, size_t index, ElementType type, double value);

/// The value that `storeElement` would leave in memory.
double roundTo(ElementType type, double value);

} // namespace mmk
