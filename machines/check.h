// What makes a description of well-formed figures the description of a machine: nothing missing,
// and the figures fit together.
#pragma once

#include "machines/description.h"

namespace mmk {

/// Fields that must be there and are not.
void checkComplete(const Description &description, Problems &problems);

/// Rules over several figures, each named C1, C2, ... in the source and in its test.
void checkConsistent(const Machine &machine, const Description &description, Problems &problems);

} // namespace mmk
