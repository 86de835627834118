// What a function declares: its dimensions, its arguments, and the variables of its result.
#pragma once

#include "frontend/ast.h"
#include "support/diagnostics.h"

namespace mmk {

/// Reports what is wrong with it; true when nothing is.
bool checkDeclaration(const ast::Function &definition, Diagnostics &diagnostics);

} // namespace mmk
