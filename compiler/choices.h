// Choices of a variant from outside of a schedule. The rules and messages are those of a schedule.
#pragma once

#include "frontend/kernel.h"
#include "passes/passes.h"

#include "llvm/Support/Error.h"

namespace mmk {

/// Reads "tile.M=64,fuse=none" or a printed variant name. `module` is the kernel's, as
/// lowered. The error is a message about the text; an empty text is one.
llvm::Expected<Choices> parseChoices(const Kernel &kernel, const Machine &machine,
                                     mlir::ModuleOp module, const std::string &text);

} // namespace mmk
