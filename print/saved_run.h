// Reports that `mmk run --json` has written, read back.
#pragma once

#include "print/side_by_side.h"

namespace mmk::driver {

/// Two saved runs of one kernel, of the cases that both hold. A UserError when a file is no report
/// of one, or when they hold none in common.
SideBySide compareSavedRuns(const std::string &fileA, const std::string &fileB);

} // namespace mmk::driver
