// Reductions and cumulative sums over dimensions of a tensor, in double.
#pragma once

#include "frontend/kernel.h"
#include "reference/view.h"

namespace mmk {

/// Stores the reduction `value` of its operand, rounded once to the type of `result`, which has the
/// operand's shape with extent 1 along Value::along. Sums of integers are exact modulo 2^32.
void reduceView(const Value &value, const TensorView &operand, Tensor &result, unsigned threads);

/// The same of the elements for which `guard`, which broadcasts to the operand, holds.
void reduceWhere(const Value &value, const TensorView &operand, const TensorView &guard,
                 Tensor &result, unsigned threads);

/// The same for a cumulative sum; `result` has the operand's shape.
void cumulateView(const Value &value, const TensorView &operand, Tensor &result, unsigned threads);

} // namespace mmk
