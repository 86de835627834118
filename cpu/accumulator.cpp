#include "cpu/accumulator.h"

#include "codegen/micro_kernel.h"
#include "codegen/scalar_ops.h"

using namespace llvm;

namespace mmk {

using aicore::ReduceKind;

bool Accumulator::isFloat() { return isa<mlir::FloatType>(op.getElement().getType()); }
bool Accumulator::isSumOfFloats() { return isFloat() && op.getKind() == ReduceKind::add; }
bool Accumulator::isLargest() {
  return op.getKind() == ReduceKind::max || op.getKind() == ReduceKind::argmax;
}

bool Accumulator::isOfExtremes() {
  return op.getElement().getType().isF32() &&
         (op.getKind() == ReduceKind::max || op.getKind() == ReduceKind::min);
}

mlir::Value Accumulator::element() {
  mlir::Value element = op.getElement();
  auto widened = element.getDefiningOp<mlir::arith::ExtFOp>();
  return isOfExtremes() && widened ? widened.getIn() : element;
}

Type *Accumulator::typeOfElement() { return e->elementType(element().getType()); }

Value *Accumulator::bits(const APInt &value) { return e->splat(b->getInt(value), e->target.lanes); }

Value *Accumulator::ofExtremes(const Parts &extremes) {
  Value *largest = extremes[0], *least = extremes[1], *furthest = extremes[2];
  const fltSemantics &semantics = typeOfElement()->getFltSemantics();
  auto encoded = [&](const APFloat &number) { return bits(number.bitcastToAPInt()); };
  Value *isNaN = b->CreateOr(
      b->CreateICmpSGT(largest, encoded(APFloat::getInf(semantics))),
      b->CreateICmpUGT(furthest, encoded(APFloat::getInf(semantics, /*Negative=*/true))));
  Value *zero = encoded(APFloat::getZero(semantics));
  Value *number = isLargest() ? b->CreateSelect(b->CreateICmpSGE(largest, zero), largest, least)
                              : b->CreateSelect(b->CreateICmpSLT(furthest, zero), furthest, least);
  // A NaN that is in order as an integer, too: see acrossLanes.
  Value *nan = encoded(APFloat::getQNaN(semantics, /*Negative=*/!isLargest()));
  Value *found = b->CreateBitCast(b->CreateSelect(isNaN, nan, number),
                                  e->vectorOf(typeOfElement(), e->target.lanes));
  return e->convert(found, e->f32());
}

Value *Accumulator::identity() {
  auto number = dyn_cast<mlir::FloatAttr>(op.getIdentity());
  Constant *constant = number
                           ? ConstantFP::get(typeOfElement(), number.getValue().convertToDouble())
                           : emitConstant(*e, op.getIdentity());
  return e->splat(constant, e->target.lanes);
}

Parts Accumulator::start() {
  Value *first = hasPosition()
                     ? Constant::getNullValue(e->vectorOf(b->getInt32Ty(), e->target.lanes))
                     : nullptr;
  return ofElement(identity(), first);
}

Parts Accumulator::ofElement(Value *element, Value *position) {
  if (hasPosition())
    return {element, position};
  if (!isOfExtremes())
    return {element};
  Type *integer = b->getIntNTy(typeOfElement()->getScalarSizeInBits());
  Value *number = b->CreateBitCast(element, e->vectorOf(integer, e->target.lanes));
  return {number, number, number};
}

Value *Accumulator::combined(Value *x, Value *y) {
  const bool isCondition = op.getElement().getType().isInteger(1);
  switch (op.getKind()) {
  case ReduceKind::add:
    return isFloat() ? b->CreateFAdd(x, y) : b->CreateAdd(x, y);
  case ReduceKind::mul:
    return isFloat() ? b->CreateFMul(x, y) : b->CreateMul(x, y);
  case ReduceKind::max:
  case ReduceKind::argmax:
    if (isCondition)
      return b->CreateOr(x, y);
    return b->CreateBinaryIntrinsic(isFloat() ? Intrinsic::maximum : Intrinsic::smax, x, y);
  case ReduceKind::min:
  case ReduceKind::argmin:
    if (isCondition)
      return b->CreateAnd(x, y);
    return b->CreateBinaryIntrinsic(isFloat() ? Intrinsic::minimum : Intrinsic::smin, x, y);
  }
  llvm_unreachable("kind of reduction");
}

Value *Accumulator::isBeyond(Value *x, Value *best) {
  if (!isFloat())
    return isLargest() ? b->CreateICmpSGT(x, best) : b->CreateICmpSLT(x, best);
  // True also where one of them is NaN; a NaN stays.
  Value *beyond = isLargest() ? b->CreateFCmpUGT(x, best) : b->CreateFCmpULT(x, best);
  return b->CreateAnd(beyond, b->CreateFCmpORD(best, best));
}

Parts Accumulator::take(const Parts &before, Value *element, Value *position) {
  if (!hasPosition())
    return joined(before, ofElement(element, position));
  Value *takes = isBeyond(element, before[0]);
  return {b->CreateSelect(takes, element, before[0]), b->CreateSelect(takes, position, before[1])};
}

mlir::arith::MulFOp Accumulator::product() {
  const bool isOfF32 = isSumOfFloats() && op.getElement().getType().isF32();
  return isOfF32 ? op.getElement().getDefiningOp<mlir::arith::MulFOp>() : nullptr;
}

Parts Accumulator::takeProduct(const Parts &before, Value *x, Value *y) {
  return {emitMultiply(*e, Multiply::f32, x, y, before[0])};
}

// Of equal ones, and of two NaN, the first stays.
Parts Accumulator::joined(const Parts &x, const Parts &y) {
  if (isOfExtremes())
    return {b->CreateBinaryIntrinsic(Intrinsic::smax, x[0], y[0]),
            b->CreateBinaryIntrinsic(Intrinsic::umin, x[1], y[1]),
            b->CreateBinaryIntrinsic(Intrinsic::umax, x[2], y[2])};
  if (!hasPosition())
    return {combined(x[0], y[0])};
  Value *equal = nullptr;
  if (isFloat())
    equal = b->CreateOr(b->CreateFCmpOEQ(x[0], y[0]),
                        b->CreateAnd(b->CreateFCmpUNO(x[0], x[0]), b->CreateFCmpUNO(y[0], y[0])));
  else
    equal = b->CreateICmpEQ(x[0], y[0]);
  Value *takes =
      b->CreateOr(isBeyond(y[0], x[0]), b->CreateAnd(equal, b->CreateICmpSLT(y[1], x[1])));
  return {b->CreateSelect(takes, y[0], x[0]), b->CreateSelect(takes, y[1], x[1])};
}

Value *Accumulator::masked(Value *mask, Value *element) {
  return b->CreateSelect(mask, element, identity());
}

Parts Accumulator::startTotal() {
  Parts parts = start();
  if (isSumOfFloats())
    parts.push_back(Constant::getNullValue(parts[0]->getType()));
  return parts;
}

Parts Accumulator::addToTotal(const Parts &total, const Parts &state) {
  if (!isSumOfFloats())
    return joined(total, state);
  Value *term = b->CreateFSub(state[0], total[1]), *sum = b->CreateFAdd(total[0], term),
        *lost = b->CreateFSub(b->CreateFSub(sum, total[0]), term);
  // An infinite sum has lost nothing.
  Value *known =
      b->CreateSelect(b->CreateFCmpORD(lost, lost), lost, Constant::getNullValue(lost->getType()));
  return {sum, known};
}

Parts Accumulator::ofState(const Parts &state) {
  return isOfExtremes() ? Parts{ofExtremes(state)} : state;
}

Parts Accumulator::ofTotal(const Parts &total) {
  return isSumOfFloats() ? Parts{b->CreateFSub(total[0], total[1])} : ofState(total);
}

SmallVector<Type *, 2> Accumulator::typesOfTotal() {
  SmallVector<Type *, 2> types;
  for (Value *part : startTotal())
    types.push_back(part->getType());
  return types;
}

// A maximum or minimum of floats is taken of integers in the same order.
Parts Accumulator::acrossLanes(const Parts &result) {
  auto inOrder = [&](Value *number) {
    Value *isNegative = b->CreateAShr(number, bits(APInt(32, 31)));
    return b->CreateXor(number, b->CreateAnd(isNegative, bits(APInt::getSignedMaxValue(32))));
  };
  Parts all = result;
  if (isOfExtremes())
    all = {inOrder(b->CreateBitCast(all[0], e->vectorOf(b->getInt32Ty(), e->target.lanes)))};
  const int lanes = static_cast<int>(e->target.lanes);
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int> order;
    for (int lane = 0; lane < lanes; ++lane)
      order.push_back(lane ^ distance);
    Parts others;
    for (Value *part : all)
      others.push_back(b->CreateShuffleVector(part, order));
    if (isOfExtremes())
      all = {b->CreateBinaryIntrinsic(isLargest() ? Intrinsic::smax : Intrinsic::smin, all[0],
                                      others[0])};
    else
      all = joined(all, others);
  }
  if (isOfExtremes())
    all = {b->CreateBitCast(inOrder(all[0]), result[0]->getType())};
  return all;
}

} // namespace mmk
