// The memory of a case on this computer, checked before any of it is allocated: the operating
// system kills a process that takes more than there is.
#pragma once

#include "cli/run_case.h"
#include "executable/executable.h"

namespace mmk::driver {

/// A UserError, with the size of each tensor, when one is larger than any memory, or when the sum,
/// with the reference, the intermediate tensors and the packed constants, exceeds the free memory.
/// The tensors of a variant are known once it is compiled.
void expectRoomFor(const Kernel &kernel, const RunCase &run, bool withReference,
                   const std::vector<Workspace> &workspaces = {},
                   const std::vector<Workspace> &packed = {});

/// A UserError when the bytes of a tensor do not fit in 63 bits: counting is refused, too.
void expectSizes(const Kernel &kernel, const RunCase &run);

} // namespace mmk::driver
