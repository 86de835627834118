// What the directives of a schedule do, for readers of a schedule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mmk::lsp {

/// Markdown on a directive: what it does, its legal choices, and why one may be better; empty for
/// an unknown one.
std::string directiveHelp(std::string_view name);

/// "auto", "rows", "swizzle(4)", or common numbers: what may follow the '=' of a directive.
std::vector<std::string> directiveValues(std::string_view name);

} // namespace mmk::lsp
