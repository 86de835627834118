// `--variant`, `--set` and the sides of a comparison: the choices of the command line.
#pragma once

#include "cli/target.h"
#include "compiler/choices.h"

namespace mmk::driver {

/// The choices in the order in which they apply: those of `--variant`, of each `--set`, and of the
/// target's side. `module` is the kernel's, as lowered.
Choices chosen(const Kernel &kernel, const Machine &machine, mlir::ModuleOp module,
               const Target &target);

/// Words to add to the command line: "--set tile.M=64 --set tile.N=128", or the whole of the
/// target's side, "--b l1=4,tile.M=64,tile.N=128".
std::string asOptions(const Choices &choices, const Target &target);

} // namespace mmk::driver
