#include "codegen/region.h"

#include "codegen/scalar_ops.h"
#include "codegen/softplus.h"
#include "codegen/vector_math.h"
#include "ir/gelu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace mmk {

SmallVector<mlir::Value> scalarsOf(mlir::Block &region) {
  SetVector<mlir::Value> scalars;
  for (mlir::Operation &inner : region)
    for (mlir::Value operand : inner.getOperands())
      if (operand.getParentBlock() != &region && !operand.getDefiningOp<mlir::arith::ConstantOp>())
        scalars.insert(operand);
  return scalars.takeVector();
}

bool emitRegion(Emitter &e, mlir::Block &region, unsigned lanes,
                DenseMap<mlir::Value, Value *> values, SmallVectorImpl<Value *> &yielded) {
  bool complete = true;
  auto valueOf = [&](mlir::Value v) -> Value * {
    if (Value *known = values.lookup(v))
      return known;
    auto constant = v.getDefiningOp<mlir::arith::ConstantOp>();
    return e.splat(emitConstant(e, constant.getValue()), lanes);
  };
  for (mlir::Operation &inner : region.without_terminator()) {
    SmallVector<Value *> operands;
    for (mlir::Value operand : inner.getOperands())
      operands.push_back(valueOf(operand));
    Value *result = nullptr;
    if (std::optional<Gelu> gelu = geluOf(&inner)) // its unused operations are removed later
      result = emitGelu(e, valueOf(gelu->x), gelu->isApproximate);
    else if (mlir::Value x = softplusTailOf(&inner))
      result = emitSoftplusTail(e, valueOf(x));
    if (!result)
      result = emitScalarOp(e, &inner, operands);
    if (result && isa<Constant>(result) && !result->getType()->isVectorTy())
      result = e.splat(result, lanes);
    complete &= result != nullptr;
    if (!result)
      result = PoisonValue::get(e.vectorOf(e.elementType(inner.getResult(0).getType()), lanes));
    values[inner.getResult(0)] = result;
  }
  for (mlir::Value value : region.getTerminator()->getOperands())
    yielded.push_back(valueOf(value));
  return complete;
}

} // namespace mmk
