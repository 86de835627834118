// Affine expressions as integer arithmetic.
#pragma once

#include "codegen/emitter.h"

#include "mlir/IR/AffineExpr.h"

namespace mmk {

/// The value of an expression, of i64 or of vectors of them. Quotients and remainders round down;
/// divisors are above zero.
llvm::Value *emitAffine(Emitter &e, mlir::AffineExpr expression, llvm::ArrayRef<llvm::Value *> dims,
                        llvm::ArrayRef<llvm::Value *> symbols);

} // namespace mmk
