// `mmk compile --emit=ascendc --check`: a project's syntax against the toolkit of this computer.
#pragma once

#include "ascendc/architecture.h"

#include <string>

namespace mmk::driver {

/// Compiles the project in `folder` without code: with the toolkit's compiler, or where only its
/// headers are installed, with this computer's. Reports what it finds on standard error; false
/// where the compiler refuses the project. A UserError where there is no toolkit.
bool checkAscendcProject(const std::string &folder, ascendc::Architecture architecture);

} // namespace mmk::driver
