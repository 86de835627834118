// Operations of a block with all that they need of it, to be cloned to another place.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace mmk {

/// `ops`, and the operations of `block` whose results they need, in the order of the block.
inline llvm::SmallVector<mlir::Operation *> withOperands(llvm::ArrayRef<mlir::Operation *> ops,
                                                         mlir::Block *block) {
  llvm::SetVector<mlir::Operation *> needed(ops.begin(), ops.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (mlir::Value operand : needed[i]->getOperands())
      if (mlir::Operation *def = operand.getDefiningOp(); def && def->getBlock() == block)
        needed.insert(def);
  llvm::SmallVector<mlir::Operation *> ordered(needed.begin(), needed.end());
  llvm::sort(ordered, [](mlir::Operation *x, mlir::Operation *y) { return x->isBeforeInBlock(y); });
  return ordered;
}

} // namespace mmk
