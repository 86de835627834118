// arith and math operations as LLVM IR, on scalars and on vectors alike.
#pragma once

#include "codegen/emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"

namespace mmk {

/// The one result of an arith or math op on `operands` (all scalars, or all vectors of the same
/// width); null when the op is not one that the passes produce.
llvm::Value *emitScalarOp(Emitter &e, mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands);

/// LLVM's name for a predicate.
llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpFPredicate predicate);
llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpIPredicate predicate);

/// A constant of arith.constant.
llvm::Constant *emitConstant(Emitter &e, mlir::Attribute value);

} // namespace mmk
