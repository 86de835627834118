// Whether the whole numbers of a kernel fit the 32 bits in which AI cores compute them.
#pragma once

#include "frontend/kernel.h"

namespace mmk {

/// What is wrong at these dimensions, "a number in '65536 * i' may be 4294836224 here, ...", or an
/// empty text. A number may be any that its variables and operations allow.
std::string beyond32Bits(const Kernel &kernel, const std::map<std::string, int64_t> &dims);

} // namespace mmk
