// Text to syntax tree.
#pragma once

#include "frontend/ast.h"
#include "support/diagnostics.h"

#include <optional>

namespace mmk {

class ParseTree;

/// Reports every syntax error; nothing when there is one. The tree points into `file`.
std::optional<ast::Program> parse(const SourceFile &file, Diagnostics &diagnostics);

/// The same of a text that ANTLR has parsed.
std::optional<ast::Program> toSyntax(const ParseTree &tree, Diagnostics &diagnostics);

} // namespace mmk
