// What the language and the reference have, and no machine computes yet.
#pragma once

#include "frontend/kernel.h"
#include "support/diagnostics.h"

namespace mmk {

/// An error for each value of the kernel that only the reference computes, with its place and the
/// reason. None: the passes decide.
Diagnostics notComputed(const Kernel &kernel);

} // namespace mmk
