// The tables of functions that a kernel may call.
#pragma once

#include <span>
#include <string_view>

namespace mmk::ascendc {

/// A function or a structure; a table has each behind those that it uses.
struct DeviceFunction {
  std::string_view name, text;
};

/// Those of vector work.
std::span<const DeviceFunction> vectorFunctions();

} // namespace mmk::ascendc
