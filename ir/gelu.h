// Recognises gelu in the sums and products that a kernel writes: as one function it takes half of
// the instructions, and does not round 1 + erf(x), which cancels for negative x.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace mmk {

struct Gelu {
  mlir::Value x;
  bool isApproximate; ///< with tanh
};

/// The gelu that ends with an operation on f32: x/2 (1 + erf(x / sqrt(2))) or x/2 (1 + tanh(sqrt(2
/// / pi) (x + 0.044715 x^3))), their factors and terms in any order.
std::optional<Gelu> geluOf(mlir::Operation *op);

} // namespace mmk
