// The elementwise region of a vector operation, as code for some lanes at a time.
#pragma once

#include "codegen/emitter.h"

#include "mlir/IR/Block.h"

namespace mmk {

/// Values of the kernel that the elements of a region are computed with, constants aside.
llvm::SmallVector<mlir::Value> scalarsOf(mlir::Block &region);

/// What a region yields for `lanes` elements at a time. `values` has those of its arguments and of
/// scalarsOf; false when an operation has no code.
bool emitRegion(Emitter &e, mlir::Block &region, unsigned lanes,
                llvm::DenseMap<mlir::Value, llvm::Value *> values,
                llvm::SmallVectorImpl<llvm::Value *> &yielded);

} // namespace mmk
