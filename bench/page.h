// The pages of docs/ that measurements of the host write their tables into.
#pragma once

#include <string>

namespace mmk {

/// The name of the CPU, as /proc/cpuinfo has it.
std::string cpuName();

/// Puts `tables` between the marks of a page. False, with a message, where it has no such marks or
/// cannot be written.
bool replaceTables(const std::string &page, const std::string &begin, const std::string &end,
                   const std::string &tables);

} // namespace mmk
