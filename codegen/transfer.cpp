#include "codegen/transfer.h"

using namespace llvm;

namespace mmk {
namespace {

void copyRow(Emitter &e, Type *from, Type *to, bool relu, Value *target, Value *source,
             Value *columns) {
  if (from == to && !relu) {
    Value *bytes = e.b.CreateMul(columns, e.number(e.bytesOf(from)));
    e.b.CreateMemCpy(target, MaybeAlign(), source, MaybeAlign(), bytes);
    return;
  }
  auto convertAt = [&](Value *column, unsigned lanes) {
    Type *type = lanes > 1 ? e.vectorOf(from, lanes) : from;
    Value *value = e.load(type, e.offset(source, e.b.CreateMul(column, e.number(e.bytesOf(from)))));
    if (relu) // as the vector instruction: NaN stays, -0 becomes 0
      value = e.b.CreateBinaryIntrinsic(Intrinsic::maximum, value, Constant::getNullValue(type));
    e.store(e.convert(value, to), e.offset(target, e.b.CreateMul(column, e.number(e.bytesOf(to)))));
  };
  Value *main = e.roundDown(columns, e.target.lanes);
  e.loop(e.number(0), main, e.number(e.target.lanes),
         [&](Value *column) { convertAt(column, e.target.lanes); });
  e.loop(main, columns, e.number(1), [&](Value *column) { convertAt(column, 1); });
}

} // namespace

Function *copyRows(Emitter &e, Type *from, Type *to, bool relu) {
  std::string name =
      std::string(relu ? "relu_" : "copy_") + Emitter::nameOf(from) + "_" + Emitter::nameOf(to);
  return e.helper(name, 2, 4, {}, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1);
    e.loop(e.number(0), f->getArg(4), e.number(1), [&](Value *row) {
      copyRow(e, from, to, relu, e.offset(target, e.b.CreateMul(row, f->getArg(2))),
              e.offset(source, e.b.CreateMul(row, f->getArg(3))), f->getArg(5));
    });
  });
}

Function *loadPadded(Emitter &e, Type *element) {
  return e.helper("load_" + Emitter::nameOf(element), 2, 7, {}, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1), *toRow = f->getArg(2),
          *fromRow = f->getArg(3), *fromColumn = f->getArg(4), *rows = f->getArg(5),
          *columns = f->getArg(6), *paddedRows = f->getArg(7), *paddedColumns = f->getArg(8);
    const int64_t size = e.bytesOf(element);
    Value *dense = e.b.CreateICmpEQ(fromColumn, e.number(size));
    auto clear = [&](Value *at, Value *elements) {
      e.b.CreateMemSet(at, e.b.getInt8(0), e.b.CreateMul(elements, e.number(size)), MaybeAlign());
    };
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      Value *to = e.offset(target, e.b.CreateMul(row, toRow));
      Value *from = e.offset(source, e.b.CreateMul(row, fromRow));
      e.when(dense, [&] { copyRow(e, element, element, /*relu=*/false, to, from, columns); });
      e.when(e.b.CreateNot(dense), [&] {
        e.loop(e.number(0), columns, e.number(1), [&](Value *column) {
          Value *value = e.load(element, e.offset(from, e.b.CreateMul(column, fromColumn)));
          e.store(value, e.offset(to, e.b.CreateMul(column, e.number(size))));
        });
      });
      e.when(e.b.CreateICmpSLT(columns, paddedColumns), [&] {
        clear(e.offset(to, e.b.CreateMul(columns, e.number(size))),
              e.b.CreateSub(paddedColumns, columns));
      });
    });
    e.loop(rows, paddedRows, e.number(1),
           [&](Value *row) { clear(e.offset(target, e.b.CreateMul(row, toRow)), paddedColumns); });
  });
}

Function *prefetchRows(Emitter &e) {
  constexpr int64_t lineBytes = 64;
  return e.helper("prefetch_rows", 1, 3, {}, [&](Function *f) {
    Value *from = f->getArg(0), *row = f->getArg(1);
    e.loop(e.number(0), f->getArg(2), e.number(1), [&](Value *i) {
      Value *start = e.offset(from, e.b.CreateMul(i, row));
      e.loop(e.number(0), f->getArg(3), e.number(lineBytes),
             [&](Value *byte) { e.prefetch(e.offset(start, byte), 2); });
    });
  });
}

} // namespace mmk
