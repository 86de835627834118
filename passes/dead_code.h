// What nothing reads any more, once a pass has put something else in its place.
#pragma once

#include "ir/mmk.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

namespace mmk {

/// Erases the operations of a kernel's body whose results nothing reads, from the end.
inline void eraseDeadOperations(ir::KernelOp kernel) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

} // namespace mmk
