// `--variant`, `--set` and the sides of a comparison: the choices of the command line.
#pragma once

#include "cli/target.h"
#include "compiler/compiler.h"

namespace mmk::driver {

/// The choices in the order in which they apply: those of `--variant`, of each `--set`, and of the
/// target's side.
Choices chosen(Compiler &compiler, const Kernel &kernel, const Target &target);
/// Reads the choices of an option; a UserError that names it.
Choices choicesOf(Compiler &compiler, const Kernel &kernel, const std::string &option,
                  const std::string &text);

/// Words to add to the command line: "--set tile.M=64 --set tile.N=128", or the whole of the
/// target's side, "--b l1=4,tile.M=64,tile.N=128".
std::string asOptions(const Choices &choices, const Target &target);

} // namespace mmk::driver
