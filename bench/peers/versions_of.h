// The version that each library reports.
#pragma once

#include <string>

namespace mmk::peers {

std::string openBlasVersion();
std::string blisVersion();
std::string oneDnnVersion();
std::string eigenVersion();
std::string libxsmmVersion();

} // namespace mmk::peers
