// Calculations of a kernel with whole numbers: `dim` and the `require` of a body, over dimensions
// and int parameters. They are checked where a call binds its dimensions.
#pragma once

#include "frontend/ast.h"
#include "frontend/kernel.h"
#include "support/diagnostics.h"

#include <string>

namespace mmk {

constexpr int64_t maximumDimension = (int64_t(1) << 31) - 1;

/// The values that int parameters are given where a file is compiled, by name. A kernel reads those
/// of its own parameters.
using WholeValues = std::map<std::string, int64_t>;

/// Fills the calculations of Kernel::derived and Kernel::conditions. The signature has declared the
/// names of the derived dimensions.
void checkWholes(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics);

/// Whether a calculation reads a dimension or an int parameter.
bool isCalculatedWith(const Kernel &kernel, std::string_view name);

/// Adds the derived dimensions to `dims`, which binds the others, and checks the conditions. What
/// arguments say of a derived dimension, too, is expected there already, and compared. Returns what
/// is wrong, "P = (H - R) / 2 + 1 is (1 - 5) / 2 + 1 = -1, and a dimension is 0 to 2147483647", or
/// an empty text.
std::string completeDimensions(const Kernel &kernel, std::map<std::string, int64_t> &dims);

} // namespace mmk
