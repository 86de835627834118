// A lower bound on the time of a variant from its sizes alone: a search spares itself the variants
// that cannot win.
#pragma once

#include "backend/backend.h"

namespace mmk::aicore {

/// See Backend::timeFloor.
std::unique_ptr<TimeFloor> timeFloor(ir::KernelOp kernel, const Machine &machine,
                                     llvm::ArrayRef<int64_t> dims,
                                     llvm::ArrayRef<VariedDirective> varied);

} // namespace mmk::aicore
