// Whether a result may have the memory of a parameter: whether a variant reads each element of the
// parameter before it writes the same element of the result.
#pragma once

#include "backend/backend.h"
#include "ir/aicore.h"
#include "ir/mmk.h"

#include <string>

namespace mmk {

/// The parameter has the extents and strides of the result. `tiled` is the kernel at
/// LoweringLevel::tiled, `lowered` the same variant as a program; numbers are those of the
/// declaration, scalars among the parameters.
///
/// It may where the parameter is only read by passes over memory that end before the one that
/// writes the result; or by this one alone, element by element, and each of these elements is an
/// operand of the same element of the result. No schedule can then write that before it has read
/// this. Reductions between the two have to be of the same rows or columns, and no other result of
/// the pass may depend on the parameter, as its elements may be computed later.
///
/// Returns why it may not, for a message; empty where it may.
std::string whyNotInPlace(ir::KernelOp tiled, aicore::KernelOp lowered, const Backend &backend,
                          unsigned parameter, unsigned result);

} // namespace mmk
