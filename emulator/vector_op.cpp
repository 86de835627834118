#include "emulator/vector_op.h"

#include "codegen/region.h"

using namespace llvm;

namespace mmk {

VectorCall vectorFunction(Emitter &e, aicore::VectorOp op) {
  VectorCall call;
  call.scalars = scalarsOf(op.getBody().front());
  const unsigned lanes = e.target.lanes;
  const unsigned inputs = op.getInputs().size(), outputs = op.getOutputs().size();
  SmallVector<Type *> scalarTypes;
  for (mlir::Value scalar : call.scalars)
    scalarTypes.push_back(e.elementType(scalar.getType()));
  mlir::Block &body = op.getBody().front();
  bool complete = true;

  // Each instruction group has its own function; the module's list of names numbers them.
  std::string name = "vector_" + std::to_string(e.module.size());
  call.function = e.helper(name, inputs + outputs, 2, scalarTypes, [&](Function *f) {
    Value *rows = f->getArg(inputs + outputs), *columns = f->getArg(inputs + outputs + 1);
    auto elementOf = [&](mlir::Value memref) {
      return e.elementType(cast<mlir::MemRefType>(memref.getType()).getElementType());
    };
    auto at = [&](unsigned argument, mlir::Value memref, Value *row, Value *column) {
      auto type = cast<mlir::MemRefType>(memref.getType());
      Value *index = column;
      if (row)
        index = e.b.CreateAdd(e.b.CreateMul(row, e.number(type.getShape()[1])), column);
      return e.offset(f->getArg(argument),
                      e.b.CreateMul(index, e.number(e.bytesOf(elementOf(memref)))));
    };
    DenseMap<mlir::Value, Value *> values;
    for (auto [i, scalar] : enumerate(call.scalars))
      values[scalar] = e.splat(f->getArg(inputs + outputs + 2 + i), lanes);
    auto input = [&](unsigned i, Value *row, Value *column) -> Value * {
      mlir::Value memref = op.getInputs()[i];
      Type *element = elementOf(memref);
      switch (cast<aicore::SpreadAttr>(op.getSpreads()[i]).getValue()) {
      case aicore::Spread::full:
        return e.load(e.vectorOf(element, lanes), at(i, memref, row, column));
      case aicore::Spread::row:
        return e.load(e.vectorOf(element, lanes), at(i, memref, nullptr, column));
      case aicore::Spread::column:
        return e.splat(e.load(element, at(i, memref, nullptr, row)), lanes);
      case aicore::Spread::single:
        return e.splat(e.load(element, at(i, memref, nullptr, e.number(0))), lanes);
      }
      return nullptr;
    };
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      e.loop(e.number(0), columns, e.number(lanes), [&](Value *column) {
        for (unsigned i = 0; i < inputs; ++i)
          values[body.getArgument(i)] = input(i, row, column);
        SmallVector<Value *> yielded;
        complete &= emitRegion(e, body, lanes, values, yielded);
        for (unsigned i = 0; i < outputs; ++i)
          e.store(yielded[i], at(inputs + i, op.getOutputs()[i], row, column));
      });
    });
  });
  if (!complete)
    call.function = nullptr;
  return call;
}

} // namespace mmk
