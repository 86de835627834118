// `@` with the semantics of the language: exact products, accumulated in double.
#pragma once

#include "reference/view.h"

namespace mmk {

/// Multiplies the last two dimensions; leading ones broadcast to those of `result`, which is f32
/// for floats (each sum rounded once) and i32 for i8 (each sum exact modulo 2^32).
void multiply(const TensorView &left, const TensorView &right, Tensor &result, unsigned threads);

/// The same of those terms for which `guard` holds, and no others are read. It broadcasts to the
/// elements of the left operand (side 0) or of the right one (1).
void multiplyWhere(const TensorView &left, const TensorView &right, const TensorView &guard,
                   size_t side, Tensor &result, unsigned threads);

} // namespace mmk
