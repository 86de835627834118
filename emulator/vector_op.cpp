#include "emulator/vector_op.h"

#include "codegen/scalar_ops.h"
#include "emulator/vector_code.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace mmk {
namespace {

using Role = aicore::VectorTile::Role;

bool isTile(mlir::Value value) { return isa<aicore::TileType>(value.getType()); }

SmallVector<mlir::Value> scalarsOf(aicore::VectorOp op) {
  SetVector<mlir::Value> scalars;
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>())
    for (mlir::Value input : vec.getInputs())
      if (!isTile(input) && !input.getDefiningOp<mlir::arith::ConstantOp>())
        scalars.insert(input);
  return scalars.takeVector();
}

/// Whether a loop around the vector work carries what the slot holds.
bool isCarried(aicore::VectorOp op, mlir::Value slot) {
  for (mlir::Region *around = op->getParentRegion(); around != slot.getParentRegion();
       around = around->getParentRegion())
    if (isa<mlir::scf::ForOp>(around->getParentOp()))
      return true;
  return false;
}

/// The body of the function: its arguments and its loops.
class TileLoop {
public:
  TileLoop(Emitter &e, aicore::VectorOp op, Function *f, bool writesScratch,
           ArrayRef<mlir::Value> scalars)
      : e(e), op(op), f(f), writesScratch(writesScratch), lanes(e.target.lanes) {
    const unsigned pointers = op.getBody().getNumArguments();
    rows = f->getArg(pointers);
    columns = f->getArg(pointers + 1);
    for (auto [i, scalar] : enumerate(scalars))
      values[scalar] = e.splat(f->getArg(pointers + 2 + i), lanes);
  }

  void emit() {
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      e.loop(e.number(0), columns, e.number(lanes), [&](Value *column) { step(row, column); });
    });
  }

private:
  void step(Value *row, Value *column) {
    for (mlir::BlockArgument tile : op.getBody().getArguments())
      if (op.tile(tile).role == Role::input)
        values[tile] = input(tile, row, column);
    for (aicore::VecOp vec : op.getOps<aicore::VecOp>()) {
      SmallVector<Value *> operands;
      for (mlir::Value operand : vec.getInputs())
        operands.push_back(valueOf(operand));
      mlir::Value target = vec.getTarget();
      Value *result = values[target] = emitVectorInstruction(e, vec, operands);
      if (writesScratch && op.tile(target).role == Role::scratch &&
          !cast<aicore::TileType>(target.getType()).isMask())
        e.store(result, at(target, row, column));
    }
    for (mlir::BlockArgument tile : op.getBody().getArguments())
      if (op.tile(tile).role == Role::output) {
        if (isCarried(op, op.tile(tile).slot))
          e.storeSome(values[tile], at(tile, row, column), e.b.CreateSub(columns, column));
        else
          e.store(values[tile], at(tile, row, column));
      }
  }

  Value *valueOf(mlir::Value operand) {
    if (Value *known = values.lookup(operand))
      return known;
    auto constant = operand.getDefiningOp<mlir::arith::ConstantOp>();
    return e.splat(emitConstant(e, constant.getValue()), lanes);
  }

  Type *elementOf(mlir::Value tile) {
    return e.elementType(cast<aicore::TileType>(tile.getType()).getElement());
  }

  Value *at(mlir::Value tile, Value *row, Value *column) {
    auto type = cast<mlir::MemRefType>(op.tile(tile).buffer.getType());
    Value *index = column;
    if (row)
      index = e.b.CreateAdd(e.b.CreateMul(row, e.number(type.getShape()[1])), column);
    return e.offset(f->getArg(cast<mlir::BlockArgument>(tile).getArgNumber()),
                    e.b.CreateMul(index, e.number(e.bytesOf(elementOf(tile)))));
  }

  Value *input(mlir::Value tile, Value *row, Value *column) {
    Type *element = elementOf(tile);
    switch (op.tile(tile).broadcast) {
    case aicore::Broadcast::full:
      return e.load(e.vectorOf(element, lanes), at(tile, row, column));
    case aicore::Broadcast::row:
      return e.load(e.vectorOf(element, lanes), at(tile, nullptr, column));
    case aicore::Broadcast::column:
      return e.splat(e.load(element, at(tile, nullptr, row)), lanes);
    case aicore::Broadcast::single:
      return e.splat(e.load(element, at(tile, nullptr, e.number(0))), lanes);
    }
    return nullptr;
  }

  Emitter &e;
  aicore::VectorOp op;
  Function *f;
  bool writesScratch;
  unsigned lanes;
  Value *rows = nullptr, *columns = nullptr;
  DenseMap<mlir::Value, Value *> values;
};

} // namespace

VectorCall vectorFunction(Emitter &e, aicore::VectorOp op, bool writesScratch) {
  VectorCall call;
  if (!op.isSelected())
    return call;
  call.scalars = scalarsOf(op);
  SmallVector<Type *> types;
  for (mlir::Value scalar : call.scalars)
    types.push_back(e.elementType(scalar.getType()));
  // Each has its own function; the module's list of names numbers them.
  const std::string name = "vector_" + std::to_string(e.module.size());
  call.function = e.helper(name, op.getBody().getNumArguments(), 2, types, [&](Function *f) {
    TileLoop(e, op, f, writesScratch, call.scalars).emit();
  });
  return call;
}

} // namespace mmk
