// From a sample that fails to the smallest one found that fails in the same way.
#pragma once

#include "tests/hunt/sample.h"

#include <functional>

namespace mmk::hunt {

/// `fails` says whether a sample still does; it is called at most `tries` times. Removes results,
/// operations, choices and additional trials, and makes dimensions small, as long as the sample
/// fails.
Sample shrink(Sample sample, const std::function<bool(const Sample &)> &fails, int tries = 400);

} // namespace mmk::hunt
