// A kernel ahead of time: its object, linked to a shared library and called through the C interface
// of runtime/abi.h.
#pragma once

#include "executable/executable.h"

namespace mmk::hunt {

/// Compiles to an object, links and loads it, and runs all phases. Needs a `cc` on the path.
llvm::Error runObject(mlir::ModuleOp module, const Machine &machine, const Arguments &arguments);

} // namespace mmk::hunt
