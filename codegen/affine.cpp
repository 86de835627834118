#include "codegen/affine.h"

using namespace llvm;

namespace mmk {

Value *emitAffine(Emitter &e, mlir::AffineExpr expression, ArrayRef<Value *> dims,
                  ArrayRef<Value *> symbols) {
  IRBuilder<> &b = e.b;
  if (auto dim = dyn_cast<mlir::AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<mlir::AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  Type *type = dims.empty() ? e.i64() : dims.front()->getType();
  if (auto constant = dyn_cast<mlir::AffineConstantExpr>(expression))
    return ConstantInt::get(type, constant.getValue(), /*IsSigned=*/true);
  auto both = cast<mlir::AffineBinaryOpExpr>(expression);
  Value *x = emitAffine(e, both.getLHS(), dims, symbols);
  Value *y = emitAffine(e, both.getRHS(), dims, symbols);
  // The remainder that is not negative.
  const auto remainder = [&] {
    Value *rest = b.CreateSRem(x, y);
    Value *isNegative = b.CreateICmpSLT(rest, Constant::getNullValue(rest->getType()));
    return b.CreateSelect(isNegative, b.CreateAdd(rest, y), rest);
  };
  switch (expression.getKind()) {
  case mlir::AffineExprKind::Add:
    return b.CreateAdd(x, y);
  case mlir::AffineExprKind::Mul:
    return b.CreateMul(x, y);
  case mlir::AffineExprKind::Mod:
    return remainder();
  case mlir::AffineExprKind::FloorDiv:
    return b.CreateSDiv(b.CreateSub(x, remainder()), y);
  case mlir::AffineExprKind::CeilDiv: {
    Value *one = ConstantInt::get(x->getType(), 1);
    x = b.CreateAdd(x, b.CreateSub(y, one));
    return b.CreateSDiv(b.CreateSub(x, remainder()), y);
  }
  default:
    llvm_unreachable("affine");
  }
}

} // namespace mmk
