// `--set` and `--variant`: choices of the command line, held to the same rules, and refused in the
// same words, as those of a schedule.
#pragma once

#include "frontend/kernel.h"
#include "passes/passes.h"

#include <optional>

namespace mmk::driver {

/// The choices in the order in which they count: those of `--variant`, then those of each `--set`.
/// `module` is the kernel's, as lowered.
Choices chosen(const Kernel &kernel, mlir::ModuleOp module,
               const std::optional<std::string> &variant, const std::vector<std::string> &sets);

/// "tile.M = 64, tile.N = 128"
std::string spelling(const Choices &choices);
/// "--set tile.M=64 --set tile.N=128"
std::string asOptions(const Choices &choices);

} // namespace mmk::driver
