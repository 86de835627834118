// `tile s.i = 128`: in a schedule a value and one of its index variables name a dimension where the
// kernel's own name stands in two roles. It becomes a dimension of its own, with the same extent,
// in everything that goes along it.
#pragma once

#include "frontend/ast.h"
#include "frontend/kernel.h"
#include "support/diagnostics.h"

#include <set>
#include <string>

namespace mmk {

/// Adds the dimensions that the schedules name so, and renames those of the values. Reports names
/// that are none, and two that are the same dimension; returns those.
std::set<std::string> nameRoles(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics);

} // namespace mmk
