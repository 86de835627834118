// Where a report was made: a time means nothing without it.
#pragma once

#include "llvm/Support/JSON.h"

#include <string>

namespace mmk::driver {

/// The CPU, its vector units, the versions of mmk and LLVM.
llvm::json::Object environment();

/// Folder of compiled code: $MMK_CACHE_DIR, else $XDG_CACHE_HOME/mmk, else $HOME/.cache/mmk;
/// made when it is not there. Empty when there can be none.
std::string cacheDirectory();

} // namespace mmk::driver
