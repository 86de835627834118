#include "emulator/windows.h"

using namespace llvm;

namespace mmk {
namespace {

/// The numbers of the function of a load, in order.
enum Number {
  lines,
  width,
  tapRows,
  tapColumns,
  top,
  outWidth,
  first,
  from,
  pixels,
  depth,
  numbers
};

class WindowRows {
public:
  WindowRows(aicore::Load3dOp op, Emitter &e, Function *f, Type *element, int64_t pixelBytes,
             int64_t toRow)
      : op(op), e(e), b(e.b), f(f), element(element), pixelBytes(pixelBytes), toRow(toRow) {}

  void emit() {
    Value *block = e.number(op.getBlock()), *size = e.number(e.bytesOf(element));
    e.loop(e.number(0), number(pixels), e.number(1), [&](Value *row) {
      Value *at = b.CreateAdd(number(first), row);
      Value *line = plus(b.CreateMul(b.CreateUDiv(at, number(outWidth)), stride(0)), number(top)),
            *column = b.CreateSub(b.CreateMul(b.CreateURem(at, number(outWidth)), stride(1)),
                                  e.number(op.getLeft()));
      Value *to = e.offset(f->getArg(0), b.CreateMul(row, e.number(toRow)));
      e.loop(e.number(0), number(depth), e.number(1), [&](Value *k) {
        Value *position = plus(number(from), k);
        Value *channel = b.CreateURem(position, block), *tap = b.CreateUDiv(position, block);
        Value *s = b.CreateURem(tap, number(tapColumns)),
              *rest = b.CreateUDiv(tap, number(tapColumns));
        Value *r = b.CreateURem(rest, number(tapRows)),
              *blocks = b.CreateUDiv(rest, number(tapRows));
        Value *y = plus(line, b.CreateMul(r, dilation(0))),
              *x = plus(column, b.CreateMul(s, dilation(1)));
        // Below zero they are very large.
        Value *isInside =
            b.CreateAnd(b.CreateICmpULT(y, number(lines)), b.CreateICmpULT(x, number(width)));
        Value *pixel =
            b.CreateSelect(isInside, plus(b.CreateMul(y, number(width)), x), e.number(0));
        Value *place = plus(b.CreateMul(pixel, e.number(pixelBytes)),
                            b.CreateMul(plus(b.CreateMul(blocks, block), channel), size));
        Value *value = e.load(element, e.offset(f->getArg(1), place));
        e.store(b.CreateSelect(isInside, value, Constant::getNullValue(element)),
                e.offset(to, b.CreateMul(k, size)));
      });
    });
  }

private:
  Value *number(Number which) { return f->getArg(2 + which); }
  Value *plus(Value *x, Value *y) { return b.CreateAdd(x, y); }
  Value *stride(unsigned axis) { return e.number(op.getStride()[axis]); }
  Value *dilation(unsigned axis) { return e.number(op.getDilation()[axis]); }

  aicore::Load3dOp op;
  Emitter &e;
  IRBuilder<> &b;
  Function *f;
  Type *element;
  int64_t pixelBytes, toRow;
};

} // namespace

Value *emitWindows(aicore::Load3dOp op, Emitter &e, ProgramValues &values) {
  Type *element = values.elementOf(op.getSource());
  const ArrayRef<int64_t> shape = cast<mlir::MemRefType>(op.getTarget().getType()).getShape();
  const int64_t rowBytes = shape[1] * e.bytesOf(element);
  Value *rows = e.local(ArrayType::get(e.b.getInt8Ty(), shape[0] * rowBytes));
  SmallVector<Value *> arguments = {rows, values.buffer(op.getSource(), op.getSlot())};
  for (mlir::Value value :
       {op.getLines(), op.getWidth(), op.getTapRows(), op.getTapColumns(), op.getTop(),
        op.getOutWidth(), op.getFirst(), op.getFrom(), op.getPixels(), op.getDepth()})
    arguments.push_back(values.value(value));
  Function *function =
      e.helper("load3d_" + std::to_string(e.module.size()), 2, numbers, {}, [&](Function *f) {
        WindowRows(op, e, f, element, values.rowBytes(op.getSource()), rowBytes).emit();
      });
  e.b.CreateCall(function, arguments);
  return rows;
}

} // namespace mmk
