// Functions that a vector core computes by several instructions, in the form that takes the fewest.
#pragma once

#include "ir/aicore.h"

namespace mmk {

/// Rewrites the region of a vector op that has no instructions yet:
/// - gelu with tanh: x / (1 + exp(x (a + b x^2))), the same function;
/// - gelu with erf: x / (1 + exp(x p(x^2))), where p has seven coefficients: within 6e-7 of gelu, as
///   its formula in f32 is; when `fast` three: within 2.6e-5.
void chooseFunctionForms(mlir::Block &body, bool fast);

} // namespace mmk
