// A chosen variant, from the memory of earlier choices where that has it.
#pragma once

#include "choose/chooser.h"
#include "store/choice_memory.h"

namespace mmk {

/// The remembered choice for these dimensions, or a new one, which is then remembered: also that no
/// candidate is legal. `warning`: why it could not be kept, if so.
tune::RememberedChoice chooseOrRecall(Chooser &chooser, const tune::ChoiceMemory &memory,
                                      const Kernel &kernel, const Machine &machine,
                                      const std::vector<int64_t> &dims, std::string &warning);

} // namespace mmk
