// An excerpt of the difference of two IR texts, for text reports.
#pragma once

#include "ir/ir_diff.h"

namespace mmk::driver {

/// The beginning of the difference, its long lines cut; `whole`: the complete difference.
std::string textOf(const IrDiff &diff, bool whole);

} // namespace mmk::driver
