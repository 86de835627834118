// Conversions of rows of elements, many at a time: the same values as `loadElement` and
// `storeElement` give one by one, on every host.
#pragma once

#include "support/element.h"

#include <cstdint>

namespace mmk {

/// Every value of every type is exact in double.
void widen(const void *source, ElementType type, double *target, int64_t count);

/// Rounds each value once, to nearest even; integers saturate and NaN becomes 0.
void narrow(const double *source, ElementType type, void *target, int64_t count);

} // namespace mmk
