// Whether the loop of a chain may leave out the factors of whole rows, which it knows only at its
// end, before it rounds the weights to the type of the product (place/chain_rows.cpp). exp(x - max)
// is at most 1 with and without the division by its sum. abs(x) / sum(abs(x)) is so only with it:
// without it, it may be more than f16 holds.
#pragma once

#include "mlir/IR/Value.h"

namespace mmk {

/// Whether weights, in a kernel before fusion, are finite in their type without these factors,
/// whatever finite values the kernel reads.
bool fitWithoutFactors(mlir::Value weights);

} // namespace mmk
