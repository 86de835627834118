// What the fixpipe of a split chip does with a product on its way to global memory.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace mmk {

/// An element of a result: `source`, with ReLU or leaky ReLU, and then rounded to a narrower float.
struct FixpipeForm {
  mlir::Value source;
  bool relu = false;
  mlir::Value slope = {}; ///< of a leaky ReLU; else nothing
};

/// The slopes of leaky ReLUs that a fixpipe does as written, on the way to f16.
struct FixpipeSlopes {
  int64_t bits = 0;      ///< of an f32, from its sign on, that count; 0: there is no leaky ReLU
  bool mayRound = false; ///< the kernel says `math = fast`

  /// One slope for all elements: a constant, or a value from outside the body of `select`.
  bool has(mlir::Value slope, mlir::arith::SelectOp select) const;
};

/// The form of an element that a body yields. Its source is what the fixpipe would have to be
/// given: the element of a product, where the fixpipe does all of the work.
FixpipeForm fixpipeFormOf(mlir::Value element, const FixpipeSlopes &slopes);

/// x >= 0 ? x : slope * x, or with > .
struct LeakyRelu {
  mlir::Value x, slope;
};
std::optional<LeakyRelu> leakyReluOf(mlir::arith::SelectOp select);

} // namespace mmk
