// The names of dimensions that a kernel goes along as one: "B*H" of B and H, "C*49" of C, 7 and 7,
// and "3584" of 512 and 7. They stand in a schedule as those of the kernel do.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

/// The name of these dimensions as one: those with a name in their order, then the product of the
/// literal ones.
std::string joinedName(std::span<const std::string> names);

/// The dimensions of a joined name; of any other the name itself.
std::vector<std::string_view> factorsOf(std::string_view name);
inline bool isJoined(std::string_view name) { return name.find('*') != std::string_view::npos; }

/// The extent of a dimension: of a literal one its number, else that of each of its factors.
int64_t extentOfName(std::string_view name,
                     const std::function<int64_t(std::string_view)> &extentOf);

} // namespace mmk
