// What the fixpipe of a split chip does with a product on its way to global memory.
#pragma once

#include "mlir/IR/Value.h"

namespace mmk {

/// An element of a result: `source`, with ReLU, and then rounded to a narrower float.
struct FixpipeForm {
  mlir::Value source;
  bool relu = false;
};

/// The form of an element that a body yields. Its source is what the fixpipe would have to be
/// given: the element of a product, where the fixpipe does all of the work.
FixpipeForm fixpipeFormOf(mlir::Value element);

} // namespace mmk
