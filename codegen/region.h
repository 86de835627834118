// The elementwise region of a vector operation, as code for some lanes at a time.
#pragma once

#include "codegen/emitter.h"

#include "mlir/IR/Block.h"

namespace mmk {

/// Values of the kernel that a region uses, except constants.
llvm::SmallVector<mlir::Value> scalarsOf(mlir::Block &region);

/// The code of an operation that is none of arith and math; null when it has none.
using EmitOther =
    llvm::function_ref<llvm::Value *(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands)>;

/// Adds the results of some operations of a region, for `lanes` elements at a time, to `values`,
/// which holds their operands except constants; false when an operation has no code.
bool emitOps(Emitter &e, llvm::ArrayRef<mlir::Operation *> ops, unsigned lanes,
             llvm::DenseMap<mlir::Value, llvm::Value *> &values, EmitOther other = {});

/// The results of a region for `lanes` elements at a time. `values` holds its arguments and
/// scalarsOf; false when an operation has no code.
bool emitRegion(Emitter &e, mlir::Block &region, unsigned lanes,
                llvm::DenseMap<mlir::Value, llvm::Value *> values,
                llvm::SmallVectorImpl<llvm::Value *> &yielded, EmitOther other = {});

} // namespace mmk
