// Numbers of the flags and events of a kernel.
#pragma once

#include "ir/aicore.h"

#include <map>
#include <string>

namespace mmk::driver {

/// Instructions that set a flag or wait for it, by the pair of pipes ("mte2 -> mte1") or cores, and
/// barriers.
using PlacedFlags = std::map<std::string, int64_t>;
PlacedFlags placedFlags(aicore::KernelOp kernel);

/// Events of the flags between each of these pairs, of the phase that uses most; between cores,
/// cross-core flags.
using TakenEvents = std::map<std::string, int64_t>;
TakenEvents takenEvents(aicore::KernelOp kernel);

} // namespace mmk::driver
