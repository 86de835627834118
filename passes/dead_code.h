// What nothing reads any more, once a pass has put something else in its place.
#pragma once

#include "ir/mmk.h"

#include "mlir/IR/Block.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

namespace mmk {

/// Erases the operations of a block whose results nothing reads, from the end.
inline void eraseDeadOperations(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

/// Those of a kernel's body.
inline void eraseDeadOperations(ir::KernelOp kernel) {
  eraseDeadOperations(kernel.getBody().front());
}

} // namespace mmk
