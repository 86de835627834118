// Element types of tensors: one table for the language, the compiler, the emulated core, the
// reference and files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace llvm {
struct fltSemantics;
}

namespace mmk {

/// The types of the language, and `boolean`, which only comparisons yield and only `select` reads.
enum class ElementType { f32, f16, bf16, i8, i32, boolean };

/// Those of the language, in the order of the C API's mmk_type.
inline constexpr std::array languageTypes = {ElementType::f32, ElementType::f16, ElementType::bf16,
                                             ElementType::i8, ElementType::i32};

/// A row of the table. Meaning and storage are separate: a value has `bits`, and is stored as an
/// integer of `bytes`.
struct ElementTraits {
  ElementType type;
  std::string_view spelling;           ///< in a .mmk file and in MLIR; "boolean" for comparisons
  unsigned bits, bytes;                ///< of a value, and of one in memory
  const llvm::fltSemantics *semantics; ///< of a float; null for an integer
  ElementType accumulator;             ///< of a product of two: f32 for floats, i32 for integers
  std::string_view numpyDescr;         ///< in the header of a .npy file; "<u2" goes by its bits
  std::string_view numpyName;          ///< argument of `array.astype(...)`
  std::string_view cName;              ///< "uint16_t" where C has no such type
  double tolerance; ///< of results by default, relative: above one unit in the last place
  uint32_t poison;  ///< value of unwritten results: a marked NaN, or an integer far from the others
};

/// The row of a type.
const ElementTraits &traitsOf(ElementType type);

/// Bytes of one element in memory; 1 for boolean.
inline size_t sizeInBytes(ElementType type) { return traitsOf(type).bytes; }

/// As spelled in a .mmk file: "f16"; "boolean" for comparisons.
inline std::string_view spelling(ElementType type) { return traitsOf(type).spelling; }
std::optional<ElementType> elementTypeFromSpelling(std::string_view text);

inline bool isFloat(ElementType type) { return traitsOf(type).semantics != nullptr; }
inline bool isInteger(ElementType type) { return !isFloat(type) && type != ElementType::boolean; }

/// What `@` accumulates in for operands of this type: f32 for floats, i32 for i8.
inline ElementType accumulatorOf(ElementType operand) { return traitsOf(operand).accumulator; }

/// The largest finite value, and the smallest above 0: of a float a subnormal.
double largestValue(ElementType type);
double smallestPositive(ElementType type);

/// Reads element `index` of a dense array of `type`; every value of every type is exact in double.
double loadElement(const void *data, size_t index, ElementType type);

/// Rounds once, to nearest even, and stores. Floats overflow to infinity where they have one, and
/// keep NaN; integers saturate, and NaN becomes 0.
void storeElement(void *data, size_t index, ElementType type, double value);

/// The value that `storeElement` would leave in memory.
double roundTo(ElementType type, double value);

} // namespace mmk
