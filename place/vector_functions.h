// Functions that a vector core computes by several instructions, in the form that takes the fewest.
#pragma once

#include "ir/aicore.h"

namespace mmk {

/// Rewrites the region of a vector op that has no instructions yet:
/// - gelu with tanh: x / (1 + exp(x (a x^2 + b))), the same function;
/// - gelu with erf, when `fast`: the same form with other numbers, within 2.8e-4.
void chooseFunctionForms(mlir::Block &body, bool fast);

/// Leaves to conversions to integers what these instructions do by themselves: to round, and to
/// turn NaN into 0. Of a region without work on scalars, whose unit does neither.
void simplifyConversions(mlir::Block &body);

/// Selects 1 or 0, or -1 or 0, where a condition is widened to a number, which is the canonical
/// form of the selection: no instruction widens a mask.
void selectNumbers(mlir::Block &body);

} // namespace mmk
