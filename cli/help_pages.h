// The pages of `mmk help`, whole.
#pragma once

#include <string>
#include <string_view>

namespace mmk::driver {

extern const std::string_view overviewPage, runPage, compilePage, comparePage, explainPage,
    benchPage, reportPage, checkPage, formatPage, importPage, machinesPage, tunePage, cachePage;

/// "mmk 0.1.0 (LLVM 22.1.8)"
std::string versionLine();

} // namespace mmk::driver
