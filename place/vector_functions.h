// Functions that a vector core computes by several instructions, in the form that takes the fewest.
#pragma once

#include "ir/aicore.h"

namespace mmk {

/// Rewrites the region of a vector op that has no instructions yet:
/// - gelu with tanh: x / (1 + exp(x (a x^2 + b))), the same function;
/// - gelu with erf, when `fast`: the same form with other numbers, within 2.8e-4.
void chooseFunctionForms(mlir::Block &body, bool fast);

} // namespace mmk
