// The memory that a case takes on this computer, known and refused before any of it is allocated:
// the kernel of the system ends by a signal what takes more than there is.
#pragma once

#include "cli/run_case.h"
#include "executable/executable.h"

namespace mmk::driver {

/// A UserError, with the size of each tensor, when one is larger than any memory, or when all of
/// them together, with those of the reference and the intermediate ones, are more than is free.
/// Those of a variant are known once it is compiled.
void expectRoomFor(const Kernel &kernel, const RunCase &run, bool withReference,
                   const std::vector<Workspace> &workspaces = {});

/// A UserError when the bytes of a tensor do not fit in 63 bits: also nothing to count time for.
void expectSizes(const Kernel &kernel, const RunCase &run);

} // namespace mmk::driver
