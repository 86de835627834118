// Numbers as the language writes them.
#pragma once

#include "support/element.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mmk {

/// "128", "-16"; nothing for text that is no integer or does not fit.
std::optional<int64_t> parseInteger(std::string_view text);

/// "1e-3", "-2", "inf", "-inf", "nan"; a number too large becomes an infinity, one too small a
/// zero.
double parseNumber(std::string_view text);

/// Whether rounding the number to f32 would make an infinity of it.
bool overflowsF32(std::string_view text);

/// Why a number, as the language writes it, is no value of a scalar of this type; empty when it is
/// one.
std::string problemOfScalar(ElementType type, std::string_view text);

} // namespace mmk
