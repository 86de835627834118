// Evaluates a tree of elementwise operations over a whole tensor, a row block at a time, so that
// no value between its leaves and its root is ever a tensor.
#pragma once

#include "frontend/kernel.h"
#include "reference/view.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <vector>

namespace mmk {

/// What an elementwise tree reads: tensors, and numbers that are the same everywhere.
struct Leaf {
  TensorView view;
  bool isNumber = false;
  double number = 0;
};

/// Stores `root`, broadcast to the shape of `result` and rounded once to its type. Every operand
/// below `root` is elementwise or has its leaf in `leaves`.
void evaluateElementwise(const Value &root, const std::map<const Value *, Leaf> &leaves,
                         Tensor &result, unsigned threads);

/// The values from `root` down to leaves once each, operands first, the root last. Not recursive: a
/// program may chain more operations than a stack holds.
std::vector<const Value *> operandsFirst(const Value &root,
                                         llvm::function_ref<bool(const Value &)> isLeaf);

bool isElementwise(Operation operation);

} // namespace mmk
