// The small functions that a kernel calls: one for each instruction of the plan whose parameters
// take several lines of Ascend C. A kernel's file has those that it calls.
#pragma once

#include "ascendc/architecture.h"

#include <string>
#include <string_view>

namespace mmk::ascendc {

/// The functions that `code` calls, and those that they call; each in front of its first use.
std::string deviceFunctions(const std::string &code, Architecture architecture);

/// Whether a chip has a function of this name.
bool isDeviceFunction(std::string_view name);

} // namespace mmk::ascendc
