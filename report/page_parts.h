// The parts of a report's page, embedded in the binary: the files of report/page, and D3. Generated
// when mmk is built.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace mmk::report {

/// File name and text of each; the style sheet and the scripts in the order in which the page has
/// them.
const std::vector<std::pair<std::string_view, std::string_view>> &pageParts();

} // namespace mmk::report
