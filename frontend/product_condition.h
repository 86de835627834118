// With which operands of a product its condition stands.
#pragma once

#include "frontend/kernel.h"

namespace mmk {

/// Whether a condition, which is aligned with one operand, has no variable that the other lacks, so
/// that it stands with the elements of both.
bool standsWithBoth(const Value &product);

} // namespace mmk
