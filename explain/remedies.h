// What an tuner knows: which directives act on which trouble, and why a change of one should
// help.
#pragma once

#include "explain/diagnosis.h"

namespace mmk::tune {

/// Whether a change of these directives acts on what was found.
bool actsOn(const Choices &change, Trouble trouble);

/// Why one would try a change, beside the choices of the variant at hand: "a second copy of L1 lets
/// MTE2 load the next stage while MTE1 takes this one".
std::string reasonOf(const Choices &change, const Choices &variant);

} // namespace mmk::tune
