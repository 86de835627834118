// Samples in processes of their own: a wrong access of a program ends its process, not the hunt.
#pragma once

#include "tests/hunt/trial.h"

#include <optional>

namespace mmk::hunt {

/// The outcome of one sample; a signal, or a minute without an end, is a failure.
Outcome attemptInChild(const Sample &sample);

/// Samples `first` to `end` - 1 of a series, one after the other in one process, up to the first
/// that fails. Adds to `tally`.
struct Found {
  uint64_t number = 0;
  Outcome outcome;
};
std::optional<Found> attemptAll(const Series &series, uint64_t first, uint64_t end, Tally &tally);

} // namespace mmk::hunt
