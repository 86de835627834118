// The variants that may be the fastest of a kernel that computes two products in one group
// (passes/chains/chain.h): lengths of a tile's rows and of the parts of its columns, and how many
// parts are computed ahead.
#pragma once

#include "backend/backend.h"

namespace mmk::aicore {

/// Nothing where the kernel has no such group. The dimensions of other groups keep their default
/// tiles.
std::optional<Candidates> chainCandidates(ir::KernelOp kernel, const Machine &machine,
                                          const CandidateRequest &request);

} // namespace mmk::aicore
