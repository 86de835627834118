// Text to syntax tree.
#pragma once

#include "frontend/ast.h"
#include "support/diagnostics.h"

#include <optional>

namespace mmk {

/// Reports every syntax error; nothing when there is one. The tree points into `file`.
std::optional<ast::Program> parse(const SourceFile &file, Diagnostics &diagnostics);

} // namespace mmk
