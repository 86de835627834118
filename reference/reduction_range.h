// The range of right results of a reduction, from the ranges of what it reduces.
#pragma once

#include "reference/sum_range.h"

namespace mmk {

/// Of all `terms`, in the order of the operand's memory; `value` is the reference's. A sum has the
/// bound of one in f32, in any order (rangeOfSum). The factors of a product may be multiplied in
/// any order, so that an intermediate result may overflow or underflow. An argument is that of any
/// term which may be the extreme one.
Range rangeOfReduction(const Value &reduction, const std::vector<Range> &terms, double value,
                       Care care);

/// Of a sum of the first terms, as a cumulative sum has it.
Range rangeOfPlainSum(const std::vector<Range> &terms, ElementType type, double value, Care care);

/// Whether every right implementation has the same value: no operation below rounds.
bool isExactTree(const Value &root);

/// What changes no result of a reduction.
double identityOf(Reduction reduction);

} // namespace mmk
