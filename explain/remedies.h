// Which directives act on which bottleneck, and why a change of one should help.
#pragma once

#include "explain/diagnosis.h"

namespace mmk::tune {

/// Whether a change of these directives acts on the bottleneck.
bool actsOn(const Choices &change, Bottleneck bottleneck);

/// Why a change may help, given the choices of the current variant: "a second copy of L1 lets MTE2
/// load the next stage while MTE1 takes this one".
std::string reasonOf(const Choices &change, const Choices &variant);

} // namespace mmk::tune
