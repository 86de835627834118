// From the syntax of a `require` to the rule that Schedule keeps.
#pragma once

#include "frontend/ast.h"
#include "frontend/kernel.h"
#include "support/diagnostics.h"

namespace mmk {

/// Reports what is wrong with the rule, and returns nothing then. `schedule` has all its directives
/// already: messages list those with numbers.
std::optional<Requirement> buildRequirement(const ast::Requirement &tree, const Kernel &kernel,
                                            const Schedule &schedule, bool knowsBody,
                                            Diagnostics &diagnostics);

} // namespace mmk
