// The tables of functions that a kernel may call.
#pragma once

#include <span>
#include <string_view>

namespace mmk::ascendc {

/// A function or a structure; a table has each behind those that it uses. Fields of instructions
/// are set without casts: those would hide a number that is out of range from the tests.
struct DeviceFunction {
  std::string_view name, text;
};

/// Those of the cube core, of dav-2201 and of dav-3510.
std::span<const DeviceFunction> cubeFunctions();
std::span<const DeviceFunction> cubeFunctions3510();
/// Those of vector work on tensors in UB.
std::span<const DeviceFunction> vectorFunctions();
/// Elementary functions on tensors: of dav-2201.
std::span<const DeviceFunction> elementaryFunctions();
/// Those of vector work on registers: of dav-3510.
std::span<const DeviceFunction> registerFunctions();

} // namespace mmk::ascendc
