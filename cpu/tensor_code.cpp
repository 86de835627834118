#include "cpu/tensor_code.h"

#include "codegen/region.h"
#include "codegen/scalar_ops.h"
#include "cpu/tile_elements.h"
#include "cpu/tile_memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace mmk {

SmallVector<Value **> SpacePlaces::fields() {
  SmallVector<Value **> all;
  for (auto *group : {&inputs, &outputs})
    for (Place &place : *group) {
      all.push_back(&place.pointer);
      for (Value *&stride : place.strides)
        all.push_back(&stride);
    }
  for (auto *group : {&sizes, &scalars})
    for (Value *&value : *group)
      all.push_back(&value);
  for (Value **value : {&scratch, &streams})
    if (*value)
      all.push_back(value);
  return all;
}

Value *bytesOf(Emitter &e, ProgramValues &values, mlir::Value tensor) {
  Value *bytes = e.number(e.bytesOf(values.elementOf(tensor)));
  for (Value *extent : values.global(tensor).extents)
    bytes = e.b.CreateMul(bytes, extent);
  return bytes;
}

SmallVector<SpacePlaces::Place> placesOf(Emitter &e, ProgramValues &values,
                                         mlir::OperandRange tensors, mlir::ValueRange offsets,
                                         ArrayRef<int64_t> along) {
  SmallVector<SpacePlaces::Place> places;
  cpu::forEachView(tensors, offsets, along, [&](mlir::Value tensor, auto own, auto dims) {
    const GlobalTensor &global = values.global(tensor);
    Type *element = values.elementOf(tensor);
    SpacePlaces::Place place{values.address(global, own, element), {}};
    for (int64_t dim : dims)
      place.strides.push_back(dim < 0 ? e.number(0)
                                      : e.times(global.strides[dim], e.bytesOf(element)));
    places.push_back(place);
  });
  return places;
}

SmallVector<Value *> scalarsFor(mlir::Block &region, ProgramValues &values) {
  return map_to_vector(scalarsOf(region), [&](mlir::Value scalar) { return values.value(scalar); });
}

Value *areDense(Emitter &e, ArrayRef<mlir::Value> tensors, ArrayRef<int64_t> along,
                ArrayRef<SpacePlaces::Place> places) {
  Value *dense = e.b.getTrue();
  for (auto [i, place] : enumerate(places)) {
    const size_t dims = place.strides.size();
    Type *element = e.elementType(cast<mlir::MemRefType>(tensors[i].getType()).getElementType());
    if (along[i * dims + dims - 1] >= 0)
      dense = e.b.CreateAnd(dense,
                            e.b.CreateICmpEQ(place.strides.back(), e.number(e.bytesOf(element))));
  }
  return dense;
}

Value *areDense(Emitter &e, const cpu::TileTensors &tensors, const SpacePlaces &places) {
  return e.b.CreateAnd(areDense(e, tensors.inputs, tensors.inputAlong, places.inputs),
                       areDense(e, tensors.outputs, tensors.outputAlong, places.outputs));
}

Value *areAligned(Emitter &e, ArrayRef<SpacePlaces::Place> outputs) {
  Value *all = e.number(0);
  for (const SpacePlaces::Place &output : outputs) {
    all = e.b.CreateOr(all, e.b.CreatePtrToInt(output.pointer, e.i64()));
    for (Value *stride : ArrayRef(output.strides).drop_back())
      all = e.b.CreateOr(all, stride);
  }
  return e.b.CreateICmpEQ(e.b.CreateAnd(all, e.number(e.target.lanes * 4 - 1)), e.number(0));
}

TensorCode::TensorCode(Emitter &e, mlir::Block &region, cpu::TileTensors tensors,
                       SpacePlaces places, bool isDense)
    : SpaceCode(e, std::move(tensors), std::move(places)), region(region), isDense(isDense) {
  for (auto [i, scalar] : enumerate(scalarsOf(region)))
    scalars[scalar] = e.splat(this->places.scalars[i], lanes());
}

Type *TensorCode::elementType(mlir::Value tensor) {
  return e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType());
}

Type *TensorCode::memoryType(mlir::Value tensor) { return inMemory(e, elementType(tensor)); }

Value *TensorCode::fromInput(size_t i, Value *stored) {
  return fromMemory(e, stored, elementType(tensors.inputs[i]));
}

SpaceCode::Pointers SpaceCode::start() const {
  Pointers pointers;
  for (const SpacePlaces::Place &place : places.inputs)
    pointers.inputs.push_back(place.pointer);
  for (const SpacePlaces::Place &place : places.outputs)
    pointers.outputs.push_back(place.pointer);
  pointers.indices.assign(tensors.dims, e.number(0));
  return pointers;
}

SpaceCode::Pointers SpaceCode::moved(const Pointers &pointers, int64_t dim, Value *index) {
  Pointers next = pointers;
  next.indices[dim] = b.CreateAdd(next.indices[dim], index);
  for (size_t i = 0; i < next.inputs.size(); ++i)
    if (inputAlong(i, dim) >= 0)
      next.inputs[i] = e.at(next.inputs[i], index, places.inputs[i].strides[dim]);
  for (size_t i = 0; i < next.outputs.size(); ++i)
    if (outputAlong(i, dim) >= 0)
      next.outputs[i] = e.at(next.outputs[i], index, places.outputs[i].strides[dim]);
  return next;
}

Carried SpaceCode::nest(ArrayRef<int64_t> dims, const Pointers &pointers, Value *number,
                        ArrayRef<Value *> carried, NestBody body) {
  if (dims.empty())
    return body(pointers, number, carried);
  const int64_t dim = dims.front();
  Value *size = places.sizes[dim];
  return e.loop(e.number(0), size, e.number(1), carried,
                [&](Value *index, ArrayRef<Value *> inside) {
                  Value *inner = b.CreateAdd(b.CreateMul(number, size), index);
                  return nest(dims.drop_front(), moved(pointers, dim, index), inner, inside, body);
                });
}

void SpaceCode::nest(ArrayRef<int64_t> dims, const Pointers &pointers,
                     function_ref<void(const Pointers &)> body) {
  nest(dims, pointers, e.number(0), {}, [&](const Pointers &inside, Value *, ArrayRef<Value *>) {
    body(inside);
    return Carried();
  });
}

Value *TensorCode::inputAt(size_t i, Value *pointer, Value *c) {
  if (inputAlong(i, columns()) < 0)
    return pointer;
  const bool isKnown = isDense && !haveDenseInputs;
  return e.at(pointer, c, isKnown ? e.number(bytesOfInput(i)) : places.inputs[i].strides.back());
}

Value *TensorCode::outputAt(size_t i, Value *pointer, Value *c) {
  if (outputAlong(i, columns()) < 0)
    return pointer;
  return e.at(pointer, c, isDense ? e.number(bytesOfOutput(i)) : places.outputs[i].strides.back());
}

Value *TensorCode::loadInput(size_t i, Value *pointer, Value *count) {
  if (isSource(argument(i)))
    return pointer;
  if (inputAlong(i, columns()) < 0)
    return e.splat(fromInput(i, e.load(inputType(i), pointer)), lanes());
  Type *vector = e.vectorOf(inputType(i), lanes());
  auto dense = [&]() -> Value * {
    return count ? e.loadSome(vector, pointer, count) : e.load(vector, pointer);
  };
  auto strided = [&] {
    return loadStrided(e, vector, pointer, places.inputs[i].strides.back(), count);
  };
  return fromInput(i, haveDenseInputs ? e.either(haveDenseInputs, dense, strided)
                      : isDense       ? dense()
                                      : strided());
}

void TensorCode::storeOutput(size_t i, Value *value, Value *pointer, Value *count) {
  value = toMemory(e, value);
  if (!isDense)
    return storeStrided(e, value, pointer, places.outputs[i].strides.back(), count);
  if (count)
    return e.storeSome(value, pointer, count);
  e.store(value, pointer);
}

void TensorCode::addPositions(const Pointers &pointers, Value *c, Known &known) {
  SmallVector<Value *> indices = pointers.indices;
  indices.back() = b.CreateAdd(indices.back(), c);
  mmk::addPositions(e, region, indices, known);
}

void TensorCode::compute(ArrayRef<mlir::Operation *> ops, Known &known) {
  complete &= emitOps(e, ops, lanes(), known, [&](mlir::Operation *op, ArrayRef<Value *> operands) {
    return emitTileElement(e, op, operands);
  });
}

Value *TensorCode::valueOf(mlir::Value value, const Known &known) {
  if (Value *found = known.lookup(value))
    return found;
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  return e.splat(emitConstant(e, constant.getValue()), lanes());
}

} // namespace mmk
