// What the blocks of a phase make of global memory together, found before any of them is timed.
#pragma once

#include "count/program.h"
#include "runtime/global_memory.h"

namespace mmk::count {

/// `transfers`: the phase in Scope::tensors. A program that cannot be run is left to the timing to
/// report.
GlobalMemory survey(const CountProgram &transfers, const Machine &machine, int64_t blocks);

} // namespace mmk::count
