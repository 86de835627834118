// The values of a directive beyond those that a schedule lists: what `--explore` and a `--sweep`
// without values open.
#pragma once

#include "frontend/kernel.h"
#include "machines/machine.h"

#include <string>
#include <utility>
#include <vector>

namespace mmk::tune {

/// Words of a directive that may fit the machine, those to try first in front: for tiles four steps
/// an octave, multiples of the cube's size for which the smallest possible buffer fits; for depths
/// and stages powers of two; for buffers 2, 1 and 3; for cores their divisors; for the others all
/// words. `key` is legal for the kernel.
std::vector<std::string> valueGrid(const Kernel &kernel, const Machine &machine,
                                   const std::string &key);

/// All words that a kernel may have for shapes of at most these dimensions, by directive: every
/// multiple of the machine's steps, every number of copies, splits and parts.
std::vector<std::pair<std::string, std::vector<std::string>>>
wholeGrid(const Kernel &kernel, const Machine &machine, const std::vector<int64_t> &dims);

/// The directives that a kernel without a schedule can be tuned by.
std::vector<std::string> tunableKeys(const Kernel &kernel, const Machine &machine);

} // namespace mmk::tune
