// Reports that `mmk run --json` has written, read back.
#pragma once

#include "print/side_by_side.h"

namespace mmk::driver {

/// Two saved runs of one kernel, of the cases that both hold: a pair for each two variants, as each
/// shape may have its own. A UserError when a file is no report of one, or when they hold none in
/// common.
std::vector<SideBySide> compareSavedRuns(const std::string &fileA, const std::string &fileB);

} // namespace mmk::driver
