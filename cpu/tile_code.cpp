#include "cpu/tile_code.h"

#include "codegen/region.h"
#include "cpu/constants/operand.h"
#include "cpu/epilogue.h"
#include "cpu/frame.h"
#include "cpu/product.h"
#include "cpu/row_code.h"
#include "cpu/windows/operand.h"
#include "passes/conditions/product_depth.h"

using namespace llvm;

namespace mmk {

Plane planeOf(Emitter &e, ProgramValues &values, mlir::Value tensor, mlir::ValueRange offsets,
              ArrayRef<int64_t> along) {
  const GlobalTensor &global = values.global(tensor);
  Type *element = values.elementOf(tensor);
  auto step = [&](int64_t dim) -> Value * {
    return dim < 0 ? e.number(0) : e.b.CreateMul(global.strides[dim], e.number(e.bytesOf(element)));
  };
  return {values.address(global, offsets, element), step(along[0]), step(along[1])};
}

SmallVector<Plane> planesOf(Emitter &e, ProgramValues &values, mlir::OperandRange tensors,
                            mlir::ValueRange offsets, ArrayRef<int64_t> along) {
  SmallVector<Plane> planes;
  cpu::forEachView(tensors, offsets, along, [&](mlir::Value tensor, auto own, auto dims) {
    planes.push_back(planeOf(e, values, tensor, own, dims));
  });
  return planes;
}

SmallVector<Value *> scalarsFor(mlir::Block &region, ProgramValues &values) {
  SmallVector<Value *> scalars;
  for (mlir::Value scalar : scalarsOf(region))
    scalars.push_back(values.value(scalar));
  return scalars;
}

namespace {

/// A bounded product may have no depth. The first element of the masked operand is 0 then, and is
/// read in place of all elements of the other one.
void multiplyZeros(Emitter &e, ProductOperands &operands, Plane &operand, const Plane &masked) {
  Value *isEmpty = e.b.CreateICmpEQ(operands.k, e.number(0));
  operands.k = e.b.CreateSelect(isEmpty, e.number(1), operands.k);
  operand.pointer = e.b.CreateSelect(isEmpty, masked.pointer, operand.pointer);
  for (Value **step : {&operand.row, &operand.column})
    *step = e.b.CreateSelect(isEmpty, e.number(0), *step);
}

/// Where a constant operand is, in panels, and as a plane where it has few columns. Its batch is
/// the row-major number of its other dimensions.
void placeConstant(Emitter &e, cpu::ProductOp op, ProgramValues &values,
                   ProductOperands &operands) {
  IRBuilder<> &b = e.b;
  const PackedOperand operand = packedOperandOf(op, e.target);
  const PanelLayout &layout = operand.layout;
  const bool isLeft = packedSideOf(op, e.target) == 0;
  const mlir::OperandRange offsets = isLeft ? op.getAOffsets() : op.getBOffsets();
  const GlobalTensor &tensor = values.global(isLeft ? op.getA() : op.getB());
  Value *batch = e.number(0);
  for (auto [i, offset] : enumerate(offsets))
    if (operand.isBatch(i))
      batch = b.CreateAdd(b.CreateMul(batch, tensor.extents[i]), values.value(offset));
  ConstantPlace &place = operands.constant;
  place.prefix = tensor.pointer;
  place.columns = e.number(1);
  for (size_t dim = operand.n.first; dim <= operand.n.last; ++dim)
    place.columns = b.CreateMul(place.columns, tensor.extents[dim]);
  place.column = values.value(offsets[operand.n.last]);
  Value *vectors = b.CreateUDiv(e.roundUp(place.columns, layout.lanes), e.number(layout.lanes));
  Value *steps = b.CreateUDiv(e.roundUp(operands.k, layout.unit), e.number(layout.group));
  Value *bytes = b.CreateMul(b.CreateMul(vectors, steps), e.number(layout.stepBytes()));
  Value *rowBytes = b.CreateMul(place.columns, e.number(layout.elementBytes));
  Value *areFew = b.CreateICmpSLE(place.columns, e.number(PanelLayout::fewColumns));
  bytes = b.CreateSelect(areFew, b.CreateMul(operands.k, rowBytes), bytes);
  place.panels =
      e.offset(e.offset(tensor.pointer, PanelLayout::prefixBytes), b.CreateMul(batch, bytes));
  Value *start = e.offset(place.panels, b.CreateMul(place.column, e.number(layout.elementBytes)));
  if (isLeft)
    operands.a = {start, e.number(layout.elementBytes), rowBytes};
  else
    operands.b = {start, rowBytes, e.number(layout.elementBytes)};
}

ProductOperands operandsOf(Emitter &e, cpu::ProductOp op, ProgramValues &values,
                           const OperandPlaces &next) {
  ProductOperands operands;
  operands.a = planeOf(e, values, op.getA(), op.getAOffsets(), op.getAAlong());
  operands.b = planeOf(e, values, op.getB(), op.getBOffsets(), op.getBAlong());
  if (next.a) {
    operands.aAhead = e.b.CreatePtrDiff(e.b.getInt8Ty(), next.a, operands.a.pointer);
    operands.bAhead = e.b.CreatePtrDiff(e.b.getInt8Ty(), next.b, operands.b.pointer);
  }
  operands.m = values.value(op.getM());
  operands.n = values.value(op.getN());
  operands.k = values.value(op.getK());
  if (auto bounded = op->getAttrOfType<mlir::IntegerAttr>(boundedAttr)) {
    const bool isA = bounded.getInt() == 0;
    multiplyZeros(e, operands, isA ? operands.a : operands.b, isA ? operands.b : operands.a);
  }
  if (packedSideOf(op, e.target))
    placeConstant(e, op, values, operands);
  if (op.getWindow())
    operands.window = WindowOperand(e, op).frame(values);
  operands.aScratch = values.buffer(op.getAScratch(), {});
  operands.bScratch = values.buffer(op.getBScratch(), {});
  operands.acc = values.buffer(op.getAcc(), {});
  operands.context = emitContext(
      e, op, planesOf(e, values, op.getInputs(), op.getInputOffsets(), op.getInputAlong()),
      planesOf(e, values, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong()),
      scalarsFor(op.getBody().front(), values));
  return operands;
}

} // namespace

OperandPlaces placesOf(Emitter &e, cpu::ProductOp op, ProgramValues &values) {
  auto start = [&](mlir::Value tensor, mlir::ValueRange offsets) {
    return values.address(values.global(tensor), offsets, values.elementOf(tensor));
  };
  return {start(op.getA(), op.getAOffsets()), start(op.getB(), op.getBOffsets())};
}

void emitProductTile(Emitter &e, cpu::ProductOp op, ProgramValues &values,
                     const OperandPlaces &next) {
  ProductOperands operands = operandsOf(e, op, values, next);
  const Frame frame(e, operands.shared());
  bool complete = true;
  Function *tile = e.helper("tile_" + std::to_string(e.module.size()), 1, 0, {}, [&](Function *f) {
    complete = emitProduct(e, op, operands.in(e, f->getArg(0)));
  });
  e.b.CreateCall(tile, {frame.address()});
  if (!complete)
    values.fail(op);
}

void emitElementwiseTile(Emitter &e, cpu::ElementwiseOp op, ProgramValues &values) {
  Value *total = e.number(0);
  for (mlir::Value output : op.getOutputs())
    total = e.b.CreateAdd(total, bytesOf(e, values, output));
  if (!emitElementwise(
          e, op, planesOf(e, values, op.getInputs(), op.getInputOffsets(), op.getInputAlong()),
          planesOf(e, values, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong()),
          scalarsFor(op.getBody().front(), values), values.value(op.getM()),
          values.value(op.getN()), total))
    values.fail(op);
}

} // namespace mmk
