// Where a report was made: a time means nothing without it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mmk::driver {

/// The CPU, its vector units, the versions of mmk and LLVM.
std::vector<std::pair<std::string, std::string>> environment();

/// Folder of compiled code: $MMK_CACHE_DIR, else $XDG_CACHE_HOME/mmk, else $HOME/.cache/mmk;
/// made when it is not there. Empty when there can be none.
std::string cacheDirectory();

} // namespace mmk::driver
