// The numbers that instructions take, each within the range that the documentation of its interface
// states (docs/ascendc.md has them all). The toolkit cuts a number to the bits of its field without
// a word.
#pragma once

#include "pipes.h"

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace shim {

/// The name of a field, as an argument of a template.
template <size_t size> struct FieldName {
  consteval FieldName(const char (&name)[size]) { std::copy_n(name, size, text); }
  char text[size];
};

/// A field of the type T. A number outside of the range ends the program.
template <typename T, int64_t least, int64_t most, FieldName name> class Field {
public:
  Field() = default;
  template <std::integral N> Field(N number, Where where = Where::current()) : value(T(number)) {
    expectWithin(static_cast<int64_t>(number), least, most, name.text, where);
  }
  operator T() const { return value; }

private:
  T value = 0;
};

constexpr int64_t most8 = UINT8_MAX, most16 = UINT16_MAX, most32 = UINT32_MAX,
                  most40 = (int64_t(1) << 40) - 1;

} // namespace shim
