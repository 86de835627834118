// The descriptions that come with mmk, in the binary itself, so that the command works from
// anywhere. Generated from the JSON files beside this one when mmk is built.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace mmk {

/// Name and JSON text of each, sorted by name.
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedDescriptions();

} // namespace mmk
