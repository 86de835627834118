// Checks a description of well-formed figures: no figure is missing, and they are consistent.
#pragma once

#include "machines/description.h"

namespace mmk {

/// Required fields that are missing.
void checkComplete(const Description &description, Problems &problems);

/// Rules over several figures, each named C1, C2, ... in the source and in its test.
void checkConsistent(const Machine &machine, const Description &description, Problems &problems);

} // namespace mmk
