#include "codegen/program_values.h"

#include "codegen/scalar_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstddef>

using namespace llvm;

namespace mmk {

using aicore::Space;

Value *ProgramValues::value(mlir::Value v) {
  Value *known = values.lookup(v);
  if (known)
    return known;
  // Constants of the kernel are made where they are used.
  if (auto constant = v.getDefiningOp<mlir::arith::ConstantOp>())
    return emitConstant(e, constant.getValue());
  fail(v.getDefiningOp() ? v.getDefiningOp() : kernel);
  return PoisonValue::get(e.elementType(v.getType()));
}

int64_t emulatedBytesPerByte(aicore::MachineAttr machine, Space space, mlir::Type buffer) {
  if (space != Space::l0a && space != Space::l0b)
    return 1;
  const int64_t widening = 4 / aicore::elementBytes(buffer);
  return space == Space::l0b ? widening * paddingOfL0b(machine.getCubeN()) : widening;
}

int64_t ProgramValues::copyBytes(aicore::AllocOp alloc) const {
  const Space space = alloc.getSpace();
  return static_cast<int64_t>(alignTo(alloc.getBytes(), machine.alignment(space))) *
         emulatedBytesPerByte(machine, space, alloc.getResult().getType());
}

Value *ProgramValues::buffer(mlir::Value memref, mlir::Value slot, std::optional<int64_t> part) {
  auto alloc = memref.getDefiningOp<aicore::AllocOp>();
  if (!alloc || !alloc.getOffset()) {
    fail(alloc ? alloc : kernel);
    return PoisonValue::get(e.pointer());
  }
  Space space = alloc.getSpace();
  Value *base = memoryBase[static_cast<unsigned>(space)];
  if (space == Space::ub && vectorCore)
    base = e.offset(base, b.CreateMul(vectorCore, ubStride));
  const int64_t firstColumn = part.value_or(0) * alloc.getPartWidth();
  Value *at =
      e.offset(base, *alloc.getOffset() * emulatedBytesPerByte(machine, space, memref.getType()) +
                         firstColumn * aicore::elementBytes(memref.getType()));
  return slot && alloc.getCopies() > 1
             ? e.offset(at, b.CreateMul(value(slot), e.number(copyBytes(alloc))))
             : at;
}

Value *ProgramValues::address(const GlobalTensor &tensor, mlir::ValueRange offsets, Type *element) {
  Value *linear = e.number(0);
  for (auto [offset, stride] : zip(offsets, tensor.strides))
    linear = b.CreateAdd(linear, b.CreateMul(value(offset), stride));
  return e.offset(tensor.pointer, b.CreateMul(linear, e.number(e.bytesOf(element))));
}

Type *ProgramValues::elementOf(mlir::Value memref) {
  return e.elementType(cast<mlir::MemRefType>(memref.getType()).getElementType());
}

int64_t ProgramValues::rowBytes(mlir::Value memref) {
  return cast<mlir::MemRefType>(memref.getType()).getShape()[1] * e.bytesOf(elementOf(memref));
}

Value *ProgramValues::loadElement(Value *array, Type *type, unsigned index) {
  return e.load(type, e.offset(array, index * e.bytesOf(type)));
}

Value *ProgramValues::loadPointer(Value *array, unsigned index) {
  return b.CreateAlignedLoad(e.pointer(), e.offset(array, index * 8), Align(8));
}

void ProgramValues::bindArguments(const ArgumentArrays &arrays) {
  values.clear();
  globals.clear();
  extents.clear();
  boundArguments = boundTensors = 0;
  bindDimensions(arrays.dims);
  bindParameters(kernel.getArgs(), arrays);
  bindParameters(kernel.getResults(), arrays);
}

void ProgramValues::bindDimensions(Value *dims) {
  for (auto name : kernel.getDims().getAsValueRange<mlir::StringAttr>()) {
    Value *extent = loadElement(dims, e.i64(), boundArguments);
    extents[name] = extent;
    values[kernel.getBody().getArgument(boundArguments++)] = extent;
  }
}

// Parameters, or results.
void ProgramValues::bindParameters(mlir::ArrayAttr parameters, const ArgumentArrays &arrays) {
  for (auto [i, named] : enumerate(parameters.getAsRange<ir::NamedAttr>())) {
    mlir::Value argument = kernel.getBody().getArgument(boundArguments++);
    unsigned index = boundTensors++;
    if (!isa<mlir::MemRefType>(argument.getType())) {
      if (arrays.scalars)
        values[argument] =
            loadElement(arrays.scalars, argument.getType().isF32() ? e.f32() : e.b.getInt32Ty(), i);
      continue;
    }
    if (!arrays.tensors)
      continue;
    GlobalTensor &tensor = globals[argument];
    tensor.pointer = loadPointer(arrays.tensors, index);
    Value *strides = loadPointer(arrays.strides, index);
    for (mlir::StringAttr dim : named.getDims()) {
      int64_t literal;
      tensor.strides.push_back(loadElement(strides, e.i64(), tensor.strides.size()));
      tensor.extents.push_back(dim.getValue().getAsInteger(10, literal) ? extents[dim.getValue()]
                                                                        : e.number(literal));
    }
  }
}

void ProgramValues::bindWorkspace(aicore::WorkspaceOp workspace, const ArgumentArrays &arrays) {
  GlobalTensor &tensor = globals[workspace.getResult()];
  tensor.pointer = loadPointer(arrays.tensors, boundTensors++);
  for (mlir::Value extent : workspace.getExtents())
    tensor.extents.push_back(value(extent));
  tensor.strides.resize(tensor.extents.size());
  Value *stride = e.number(1);
  for (size_t i = tensor.extents.size(); i-- > 0; stride = b.CreateMul(stride, tensor.extents[i]))
    tensor.strides[i] = stride;
}

void ProgramValues::bindMemories(Value *core) {
  ubStride =
      b.CreateAlignedLoad(e.i64(), e.offset(core, offsetof(CoreMemories, ubStride)), Align(8));
  for (unsigned memory = 0; memory < memories; ++memory)
    memoryBase[memory] = b.CreateAlignedLoad(
        e.pointer(), e.offset(core, offsetof(CoreMemories, memory) + 8 * memory), Align(8));
}

} // namespace mmk
