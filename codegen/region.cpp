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

static Value *elementOf(Emitter &e, mlir::Value v, unsigned lanes,
                        const DenseMap<mlir::Value, Value *> &values) {
  if (Value *known = values.lookup(v))
    return known;
  auto constant = v.getDefiningOp<mlir::arith::ConstantOp>();
  return e.splat(emitConstant(e, constant.getValue()), lanes);
}

bool emitOps(Emitter &e, ArrayRef<mlir::Operation *> ops, unsigned lanes,
             DenseMap<mlir::Value, Value *> &values, EmitOther other) {
  bool complete = true;
  for (mlir::Operation *inner : ops) {
    if (values.contains(inner->getResult(0))) // such as a position
      continue;
    SmallVector<Value *> operands;
    for (mlir::Value operand : inner->getOperands())
      operands.push_back(elementOf(e, operand, lanes, values));
    Value *result = nullptr;
    // A function of an operand that is not known here is computed step by step. The operations that
    // it leaves unused are removed later.
    if (std::optional<Gelu> gelu = geluOf(inner); gelu && values.lookup(gelu->x))
      result = emitGelu(e, values.lookup(gelu->x), gelu->isApproximate);
    else if (mlir::Value x = softplusTailOf(inner); x && values.lookup(x))
      result = emitSoftplusTail(e, values.lookup(x));
    if (!result && other)
      result = other(inner, operands);
    if (!result)
      result = emitScalarOp(e, inner, operands);
    if (result && isa<Constant>(result) && !result->getType()->isVectorTy())
      result = e.splat(result, lanes);
    complete &= result != nullptr;
    if (!result)
      result = PoisonValue::get(e.vectorOf(e.elementType(inner->getResult(0).getType()), lanes));
    values[inner->getResult(0)] = result;
  }
  return complete;
}

bool emitRegion(Emitter &e, mlir::Block &region, unsigned lanes,
                DenseMap<mlir::Value, Value *> values, SmallVectorImpl<Value *> &yielded,
                EmitOther other) {
  SmallVector<mlir::Operation *> ops;
  for (mlir::Operation &inner : region.without_terminator())
    ops.push_back(&inner);
  const bool complete = emitOps(e, ops, lanes, values, other);
  for (mlir::Value value : region.getTerminator()->getOperands())
    yielded.push_back(elementOf(e, value, lanes, values));
  return complete;
}

} // namespace mmk
