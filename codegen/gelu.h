// gelu as a kernel writes it, by sums and products: as one function it is half of the instructions,
// and does not round 1 + erf(x), of which little is left for negative x.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace mmk {

struct Gelu {
  mlir::Value x;
  bool isApproximate; ///< with tanh
};

/// Of an operation on f32 that ends x/2 (1 + erf(x / sqrt(2))) or
/// x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), their factors and terms in any order.
std::optional<Gelu> geluOf(mlir::Operation *op);

} // namespace mmk
