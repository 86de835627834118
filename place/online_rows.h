// The online form of a row group: a sum that waits for a maximum, as in softmax, is computed in the
// same pass, from the maximum so far, and rescaled when that grows.
#pragma once

#include "place/row_program.h"

namespace mmk {

/// Rewrites the program. False, with nothing changed, where a reduction waits for another in a way
/// that no rescaling mends. The sums it mends are of exp(u - g), where u does not depend on the
/// maximum m and g depends on it alone, or of such exponentials times what does not depend on m:
/// exp(g(m) - g(m')) is then what a sum with the maximum m lacks to be one with m'.
bool makeOnline(RowProgram &program);

} // namespace mmk
