// The tables of functions that a kernel may call.
#pragma once

#include <span>
#include <string_view>

namespace mmk::ascendc {

/// A function or a structure; a table has each behind those that it uses. Fields of instructions
/// are set without casts: those would hide a number that is out of range from the tests.
/// "$Add(...);" is an instruction whose result the next one may read: on tensors a barrier of its
/// pipe follows.
struct DeviceFunction {
  std::string_view name, text;
};

/// Those of the cube core: of all chips, which call those of one.
std::span<const DeviceFunction> cubeFunctions();
std::span<const DeviceFunction> cubeFunctions2201();
std::span<const DeviceFunction> cubeFunctions3510();
/// Those of vector work on tensors in UB.
std::span<const DeviceFunction> vectorFunctions();
/// Elementary functions, on tensors and on registers; and what they call on tensors.
std::span<const DeviceFunction> elementaryFunctions();
std::span<const DeviceFunction> elementaryFunctionsOnTensors();
/// Those of vector work on registers: of dav-3510.
std::span<const DeviceFunction> registerFunctions();

} // namespace mmk::ascendc
