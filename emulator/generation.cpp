#include "emulator/generation.h"

#include "codegen/affine.h"
#include "codegen/random.h"

using namespace llvm;

namespace mmk {

namespace {

/// The numbers start, start + 1, ... of as many lanes.
Value *consecutive(Emitter &e, Value *start, unsigned lanes) {
  SmallVector<Constant *> lane;
  for (unsigned i = 0; i < lanes; ++i)
    lane.push_back(ConstantInt::get(start->getType(), i));
  return e.b.CreateAdd(e.splat(start, lanes), ConstantVector::get(lane));
}

/// The parameters of the function of a window: see emitWindow.
class WindowLoop {
public:
  WindowLoop(aicore::WindowOp op, Emitter &e, Function *f, Type *element)
      : op(op), e(e), b(e.b), f(f), element(element), rank(op.getMap().getNumResults()) {}

  void emit() {
    Value *rows = number(0), *columns = number(1), *toRow = number(2);
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      Value *to = e.offset(f->getArg(0), b.CreateMul(row, toRow));
      e.loop(e.number(0), columns, e.number(1), [&](Value *column) {
        e.store(elementAt(row, column), e.offset(to, b.CreateMul(column, size())));
      });
    });
  }

  /// Leading numbers before the extents, the strides and the symbols.
  static constexpr unsigned sizes = 3;

private:
  Value *number(unsigned i) { return f->getArg(2 + i); }
  Value *size() { return e.number(e.bytesOf(element)); }

  Value *elementAt(Value *row, Value *column) {
    SmallVector<Value *> dims = {row, column}, symbols;
    for (unsigned i = 0; i < op.getMap().getNumSymbols(); ++i)
      symbols.push_back(number(sizes + 2 * rank + i));
    Value *place = e.number(0), *isInside = b.getTrue();
    for (auto [dim, index] : enumerate(op.getMap().getResults())) {
      Value *at = emitAffine(e, index, dims, symbols);
      if (op.getPadding()) {
        // Below zero it is very large.
        Value *inside = b.CreateICmpULT(at, number(sizes + dim));
        at = b.CreateSelect(inside, at, e.number(0));
        isInside = b.CreateAnd(isInside, inside);
      }
      place = b.CreateAdd(place, b.CreateMul(at, number(sizes + rank + dim)));
    }
    Value *loaded = e.load(element, e.offset(f->getArg(1), b.CreateMul(place, size())));
    return op.getPadding() ? b.CreateSelect(isInside, loaded, f->getArg(f->arg_size() - 1))
                           : loaded;
  }

  aicore::WindowOp op;
  Emitter &e;
  IRBuilder<> &b;
  Function *f;
  Type *element;
  unsigned rank;
};

} // namespace

void emitWindow(aicore::WindowOp op, Emitter &e, ProgramValues &values) {
  const GlobalTensor &tensor = values.global(op.getSource());
  Type *element = values.elementOf(op.getSource());
  SmallVector<Value *> arguments = {values.buffer(op.getTarget(), op.getSlot()), tensor.pointer,
                                    values.value(op.getRows()), values.value(op.getColumns()),
                                    e.number(values.rowBytes(op.getTarget()))};
  arguments.append(tensor.extents.begin(), tensor.extents.end());
  arguments.append(tensor.strides.begin(), tensor.strides.end());
  for (mlir::Value symbol : op.getSymbols())
    arguments.push_back(values.value(symbol));
  SmallVector<Type *> rest;
  if (op.getPadding()) {
    arguments.push_back(values.value(op.getPadding()));
    rest.push_back(element);
  }
  const unsigned numbers =
      WindowLoop::sizes + 2 * op.getMap().getNumResults() + op.getMap().getNumSymbols();
  const std::string name = "window_" + std::to_string(e.module.size());
  Function *function =
      e.helper(name, 2, numbers, rest, [&](Function *f) { WindowLoop(op, e, f, element).emit(); });
  e.b.CreateCall(function, arguments);
}

void emitPositions(aicore::PositionsOp op, Emitter &e, ProgramValues &values) {
  Function *function = e.helper("positions", 1, 2, {}, [&](Function *f) {
    e.loop(e.number(0), f->getArg(2), e.number(1), [&](Value *column) {
      Value *position = e.b.CreateTrunc(e.b.CreateAdd(f->getArg(1), column), e.b.getInt32Ty());
      e.store(position, e.offset(f->getArg(0), e.b.CreateMul(column, e.number(4))));
    });
  });
  e.b.CreateCall(function, {values.buffer(op.getTarget(), op.getSlot()),
                            values.value(op.getFirst()), values.value(op.getColumns())});
}

void emitRandomTile(aicore::RandomOp op, Emitter &e, ProgramValues &values) {
  IRBuilder<> &b = e.b;
  const unsigned lanes = e.target.lanes;
  Function *function = e.helper("random", 1, 6, b.getInt32Ty(), [&](Function *f) {
    Value *first = f->getArg(1), *rowStep = f->getArg(2), *columnStep = f->getArg(3),
          *rows = f->getArg(4), *columns = f->getArg(5), *toRow = f->getArg(6);
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      Value *to = e.offset(f->getArg(0), b.CreateMul(row, toRow));
      Value *start = b.CreateAdd(first, b.CreateMul(row, rowStep));
      e.loop(e.number(0), columns, e.number(lanes), [&](Value *column) {
        Value *positions =
            b.CreateAdd(e.splat(start, lanes),
                        b.CreateMul(consecutive(e, column, lanes), e.splat(columnStep, lanes)));
        e.storeSome(emitRandom(e, f->getArg(7), positions),
                    e.offset(to, b.CreateMul(column, e.number(4))), b.CreateSub(columns, column));
      });
    });
  });
  b.CreateCall(function, {values.buffer(op.getTarget(), op.getSlot()), values.value(op.getFirst()),
                          values.value(op.getRowStep()), values.value(op.getColumnStep()),
                          values.value(op.getRows()), values.value(op.getColumns()),
                          e.number(values.rowBytes(op.getTarget())), values.value(op.getSeed())});
}

} // namespace mmk
