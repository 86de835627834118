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
/// The text of one; empty where there is none of this name.
std::string_view pagePart(std::string_view name);

} // namespace mmk::report
