// Dimensions that a function over tensors calculates, p: (H - k) / s + 1. One that a kernel has
// already, by its own `dim` or by another call, is that dimension.
#pragma once

#include "frontend/kernel.h"
#include "support/diagnostics.h"

#include <memory>
#include <string>

namespace mmk {

/// The dimension with this many elements. A new one is derived in the kernel, with a name after
/// that of the variable, and belongs to the call at `where`. A calculation that is a number below 1
/// is a literal all the same, for the caller to refuse.
Dimension calculatedDimension(std::unique_ptr<Rule> calculation, const std::string &variable,
                              SourceRange where, Kernel &kernel);

/// left - right where it is one number at every size, as far as factors, sums and floors tell.
/// Derived dimensions stand for their calculations.
std::optional<int64_t> fixedDifference(const Rule &left, const Rule &right, const Kernel &kernel);

/// Positions in `extent` behind the last multiple of `step` that `steps` counts, at the least: with
/// P = (H - 2) / 2 + 1, 2*p has one in H. Nothing where the calculation of `steps` does not tell.
std::optional<int64_t> roomBehind(const Dimension &steps, int64_t step, const Dimension &extent,
                                  const Kernel &kernel);

/// Adds to a message on `shape` what its dimensions of calls are.
void explainCalculated(const Shape &shape, const Kernel &kernel, Diagnostic &diagnostic);

} // namespace mmk
