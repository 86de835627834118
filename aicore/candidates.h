// The variants that may be the fastest at a shape, found by the closed form of their time.
#pragma once

#include "backend/backend.h"

namespace mmk::aicore {

/// See Backend::candidates.
Candidates findCandidates(ir::KernelOp kernel, const Machine &machine,
                          const CandidateRequest &request);

} // namespace mmk::aicore
