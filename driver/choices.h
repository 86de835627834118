// `--set` and `--variant`: the choices of the command line.
#pragma once

#include "compiler/choices.h"

#include <optional>

namespace mmk::driver {

/// The choices in the order in which they count: those of `--variant`, then those of each `--set`.
/// `module` is the kernel's, as lowered.
Choices chosen(const Kernel &kernel, mlir::ModuleOp module,
               const std::optional<std::string> &variant, const std::vector<std::string> &sets);

/// "--set tile.M=64 --set tile.N=128"
std::string asOptions(const Choices &choices);

} // namespace mmk::driver
