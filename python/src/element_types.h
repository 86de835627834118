// The element types of mmk as NumPy, DLPack and messages name them.
#pragma once

#include "dlpack.h"
#include "mmk.h"

#include <optional>

namespace mmk::python {

struct ElementType {
  mmk_type type;
  const char *name;      ///< "f16"
  const char *numpyName; ///< "float16"; null where NumPy has none
  char format;           ///< of the buffer protocol, 0 for none
  int64_t bytes;
  uint8_t code; ///< of DLPack
};

constexpr ElementType elementTypes[] = {
    {MMK_F32, "f32", "float32", 'f', 4, dlpack::floating},
    {MMK_F16, "f16", "float16", 'e', 2, dlpack::floating},
    {MMK_BF16, "bf16", nullptr, 0, 2, dlpack::bfloat},
    {MMK_I8, "i8", "int8", 'b', 1, dlpack::integer},
    {MMK_I32, "i32", "int32", 'i', 4, dlpack::integer},
};

inline const ElementType &elementTypeOf(mmk_type type) { return elementTypes[type]; }

/// Of a format of the buffer protocol in this computer's byte order; nothing where mmk has none.
inline std::optional<ElementType> elementTypeOf(const char *format, int64_t bytes) {
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  for (const ElementType &each : elementTypes)
    if (each.format && each.bytes == bytes && format[1] == 0 &&
        (*format == each.format || (each.format == 'i' && *format == 'l')))
      return each;
  return std::nullopt;
}

inline std::optional<ElementType> elementTypeOf(dlpack::DataType type) {
  for (const ElementType &each : elementTypes)
    if (each.code == type.code && each.bytes * 8 == type.bits && type.lanes == 1)
      return each;
  return std::nullopt;
}

} // namespace mmk::python
