// One elementwise operation over a row of numbers, with the semantics of the language: computed in
// f32.
#pragma once

#include "frontend/kernel.h"

#include <cstdint>

namespace mmk {

/// `operands` has as many rows as the operation has operands. The rows hold what f32 can hold (or
/// integers, where a cast reads them) as doubles, and so does `result`: for + - * / and sqrt,
/// rounding the double result to f32 gives the f32 result; functions are evaluated in double and
/// rounded once.
void applyElementwise(const Value &value, const double *const *operands, double *result,
                      int64_t count);

} // namespace mmk
