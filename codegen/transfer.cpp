#include "codegen/transfer.h"

using namespace llvm;

namespace mmk {
namespace {

/// As the vector instructions: NaN stays; ReLU makes -0 0, leaky ReLU keeps it.
Value *apply(Emitter &e, OnTheWay onTheWay, Value *value, Value *slope) {
  Value *zero = Constant::getNullValue(value->getType());
  switch (onTheWay) {
  case OnTheWay::nothing:
    return value;
  case OnTheWay::relu:
    return e.b.CreateBinaryIntrinsic(Intrinsic::maximum, value, zero);
  case OnTheWay::leakyRelu: {
    if (auto *vector = dyn_cast<VectorType>(value->getType()))
      slope = e.b.CreateVectorSplat(vector->getElementCount(), slope);
    return e.b.CreateSelect(e.b.CreateFCmpOGE(value, zero), value, e.b.CreateFMul(slope, value));
  }
  }
  return value;
}

void copyRow(Emitter &e, Type *from, Type *to, OnTheWay onTheWay, Value *target, Value *source,
             Value *columns, Value *slope = nullptr) {
  if (from == to && onTheWay == OnTheWay::nothing) {
    Value *bytes = e.b.CreateMul(columns, e.number(e.bytesOf(from)));
    e.b.CreateMemCpy(target, MaybeAlign(), source, MaybeAlign(), bytes);
    return;
  }
  auto convertAt = [&](Value *column, unsigned lanes) {
    Type *type = lanes > 1 ? e.vectorOf(from, lanes) : from;
    Value *value = e.load(type, e.offset(source, e.b.CreateMul(column, e.number(e.bytesOf(from)))));
    value = apply(e, onTheWay, value, slope);
    e.store(e.convert(value, to), e.offset(target, e.b.CreateMul(column, e.number(e.bytesOf(to)))));
  };
  Value *main = e.roundDown(columns, e.target.lanes);
  e.loop(e.number(0), main, e.number(e.target.lanes),
         [&](Value *column) { convertAt(column, e.target.lanes); });
  e.loop(main, columns, e.number(1), [&](Value *column) { convertAt(column, 1); });
}

} // namespace

Function *copyRows(Emitter &e, Type *from, Type *to, OnTheWay onTheWay) {
  constexpr const char *prefixes[] = {"copy_", "relu_", "leaky_relu_"};
  const std::string name =
      prefixes[static_cast<int>(onTheWay)] + Emitter::nameOf(from) + "_" + Emitter::nameOf(to);
  const bool hasSlope = onTheWay == OnTheWay::leakyRelu;
  SmallVector<Type *> further;
  if (hasSlope)
    further.push_back(e.b.getFloatTy());
  return e.helper(name, 2, 4, further, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1);
    e.loop(e.number(0), f->getArg(4), e.number(1), [&](Value *row) {
      copyRow(e, from, to, onTheWay, e.offset(target, e.b.CreateMul(row, f->getArg(2))),
              e.offset(source, e.b.CreateMul(row, f->getArg(3))), f->getArg(5),
              hasSlope ? f->getArg(6) : nullptr);
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
      e.when(dense, [&] { copyRow(e, element, element, OnTheWay::nothing, to, from, columns); });
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
