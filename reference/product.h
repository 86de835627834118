// `@` with the semantics of the language: exact products, accumulated in double.
#pragma once

#include "reference/view.h"

namespace mmk {

/// Multiplies the last two dimensions; leading ones broadcast to those of `result`, which is f32
/// for floats (each sum rounded once) and i32 for i8 (each sum exact modulo 2^32).
void multiply(const View &left, const View &right, Tensor &result, unsigned threads);

} // namespace mmk
