// The difference of two IR texts, as much of it as a report for people shows.
#pragma once

#include "ir/ir_diff.h"

namespace mmk::driver {

/// The beginning of the difference, its long lines cut; `whole`: all of it as it is.
std::string textOf(const IrDiff &diff, bool whole);

} // namespace mmk::driver
