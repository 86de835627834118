#include "emulator/reduce_op.h"

#include "mlir/IR/BuiltinTypes.h"

#include <limits>

using namespace llvm;

namespace mmk {
namespace {

using aicore::ReduceKind;

/// A vector of partial results, and the position of each.
struct Partial {
  Value *best = nullptr, *at = nullptr;
};

class Reduction {
public:
  Reduction(Emitter &e, aicore::ReduceOp op, Function *f)
      : e(e), b(e.b), op(op), f(f),
        element(e.elementType(shapeOf(op.getSource()).getElementType())),
        isMaximum(op.getKind() == ReduceKind::max || op.getKind() == ReduceKind::argmax),
        // The elements of f32 of one repeat of an instruction, whose sums the interface orders, and
        // whose products Ascend C out of mmk does; the order of the others changes nothing.
        parts(!op.getByRows() &&
                      (op.getKind() == ReduceKind::add || op.getKind() == ReduceKind::mul)
                  ? 64
                  : 16),
        rows(f->getArg(1 + op.getTargets().size())),
        columns(f->getArg(2 + op.getTargets().size())) {}

  void emit() {
    if (op.getByRows())
      e.loop(e.number(0), columns, e.number(parts), [&](Value *column) { columnsFrom(column); });
    else
      e.loop(e.number(0), rows, e.number(1), [&](Value *row) { rowAt(row); });
  }

private:
  static mlir::MemRefType shapeOf(mlir::Value buffer) {
    return cast<mlir::MemRefType>(buffer.getType());
  }

  Type *vector(Type *of) { return FixedVectorType::get(of, parts); }
  Type *i32() { return b.getInt32Ty(); }

  Constant *identity() {
    const bool isFloat = element->isFloatingPointTy();
    switch (op.getKind()) {
    case ReduceKind::add:
      return Constant::getNullValue(element);
    case ReduceKind::mul:
      return isFloat ? ConstantFP::get(element, 1) : ConstantInt::get(element, 1);
    default:
      if (isFloat)
        return ConstantFP::getInfinity(element, /*Negative=*/isMaximum);
      const unsigned bits = element->getIntegerBitWidth();
      return ConstantInt::get(element, isMaximum ? APInt::getSignedMinValue(bits)
                                                 : APInt::getSignedMaxValue(bits));
    }
  }

  Value *combine(Value *x, Value *y) {
    const bool isFloat = element->isFloatingPointTy();
    switch (op.getKind()) {
    case ReduceKind::add:
      return isFloat ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    case ReduceKind::mul:
      return isFloat ? b.CreateFMul(x, y) : b.CreateMul(x, y);
    default:
      return b.CreateBinaryIntrinsic(isFloat ? isMaximum ? Intrinsic::maximum : Intrinsic::minimum
                                     : isMaximum ? Intrinsic::smax
                                                 : Intrinsic::smin,
                                     x, y);
    }
  }

  /// Whether an element takes the place of the best: it is beyond it, or the first NaN.
  Value *isBeyond(Value *x, Value *best) {
    if (!element->isFloatingPointTy())
      return isMaximum ? b.CreateICmpSGT(x, best) : b.CreateICmpSLT(x, best);
    Value *beyond = isMaximum ? b.CreateFCmpUGT(x, best) : b.CreateFCmpULT(x, best);
    return b.CreateAnd(beyond, b.CreateFCmpORD(best, best));
  }

  Partial next(Partial before, Value *x, Value *at) {
    if (!op.givesPosition())
      return {combine(before.best, x), nullptr};
    Value *takes = isBeyond(x, before.best);
    return {b.CreateSelect(takes, x, before.best), b.CreateSelect(takes, at, before.at)};
  }

  Partial start() {
    Value *best = b.CreateVectorSplat(parts, identity());
    return {best, op.givesPosition() ? Constant::getNullValue(vector(i32())) : nullptr};
  }

  SmallVector<Value *> listOf(Partial partial) {
    SmallVector<Value *> list = {partial.best};
    if (partial.at)
      list.push_back(partial.at);
    return list;
  }
  Partial partialOf(ArrayRef<Value *> list) {
    return {list[0], list.size() > 1 ? list[1] : nullptr};
  }

  Value *sourceAt(Value *row, Value *column) {
    Value *index =
        b.CreateAdd(b.CreateMul(row, e.number(shapeOf(op.getSource()).getShape()[1])), column);
    return e.offset(f->getArg(0), b.CreateMul(index, e.number(e.bytesOf(element))));
  }

  Value *numbered(Value *first) {
    SmallVector<Constant *> lanes;
    for (unsigned i = 0; i < parts; ++i)
      lanes.push_back(b.getInt32(i));
    return b.CreateAdd(b.CreateVectorSplat(parts, b.CreateTrunc(first, i32())),
                       ConstantVector::get(lanes));
  }

  /// All rows of sixteen columns. Rows of UB are padded to whole vectors.
  void columnsFrom(Value *column) {
    SmallVector<Value *> results = e.loop(
        e.number(0), rows, e.number(1), listOf(start()), [&](Value *row, ArrayRef<Value *> list) {
          Value *x = e.load(vector(element), sourceAt(row, column));
          return listOf(
              next(partialOf(list), x, b.CreateVectorSplat(parts, b.CreateTrunc(row, i32()))));
        });
    for (auto [i, result] : enumerate(results)) {
      const int64_t bytes = e.bytesOf(i == 0 ? element : i32());
      e.store(result, e.offset(f->getArg(1 + i), b.CreateMul(column, e.number(bytes))));
    }
  }

  /// Behind the last column nothing changes a result: a sum that starts from 0 is never -0.
  Value *partAt(Value *row, Value *column, Value *positions) {
    Value *source = sourceAt(row, column);
    if (op.getKind() == ReduceKind::add)
      return e.loadSome(vector(element), source, b.CreateSub(columns, column));
    Value *isThere =
        b.CreateICmpSLT(positions, b.CreateVectorSplat(parts, b.CreateTrunc(columns, i32())));
    return b.CreateSelect(isThere, e.load(vector(element), source),
                          b.CreateVectorSplat(parts, identity()));
  }

  void rowAt(Value *row) {
    SmallVector<Value *> results = e.loop(e.number(0), columns, e.number(parts), listOf(start()),
                                          [&](Value *column, ArrayRef<Value *> list) {
                                            Value *positions = numbered(column);
                                            Value *x = partAt(row, column, positions);
                                            return listOf(next(partialOf(list), x, positions));
                                          });
    const Partial one = op.givesPosition() ? best(partialOf(results)) : inPairs(results[0]);
    e.store(one.best, e.offset(f->getArg(1), b.CreateMul(row, e.number(e.bytesOf(element)))));
    if (one.at)
      e.store(one.at, e.offset(f->getArg(2), b.CreateMul(row, e.number(4))));
  }

  /// Neighbours two by two, then what they give, as the instruction does.
  Partial inPairs(Value *all) {
    for (unsigned half = parts / 2; half > 0; half /= 2) {
      SmallVector<int> even, odd;
      for (unsigned i = 0; i < half; ++i) {
        even.push_back(static_cast<int>(2 * i));
        odd.push_back(static_cast<int>(2 * i + 1));
      }
      all = combine(b.CreateShuffleVector(all, even), b.CreateShuffleVector(all, odd));
    }
    return {b.CreateExtractElement(all, uint64_t(0)), nullptr};
  }

  /// The best of all parts; of equal ones the first.
  Partial best(Partial all) {
    auto partOf = [&](unsigned i) {
      return Partial{b.CreateExtractElement(all.best, i), b.CreateExtractElement(all.at, i)};
    };
    Partial one = partOf(0);
    for (unsigned i = 1; i < parts; ++i) {
      const Partial other = partOf(i);
      Value *takes = isBeyond(other.best, one.best);
      Value *isEqual = element->isFloatingPointTy()
                           ? b.CreateOr(b.CreateFCmpOEQ(other.best, one.best),
                                        b.CreateAnd(b.CreateFCmpUNO(other.best, other.best),
                                                    b.CreateFCmpUNO(one.best, one.best)))
                           : b.CreateICmpEQ(other.best, one.best);
      Value *isEarlier = b.CreateAnd(isEqual, b.CreateICmpSLT(other.at, one.at));
      takes = b.CreateOr(takes, isEarlier);
      one = {b.CreateSelect(takes, other.best, one.best), b.CreateSelect(takes, other.at, one.at)};
    }
    return one;
  }

  Emitter &e;
  IRBuilder<> &b;
  aicore::ReduceOp op;
  Function *f;
  Type *element;
  bool isMaximum;
  unsigned parts;
  Value *rows, *columns;
};

} // namespace

Function *reduceFunction(Emitter &e, aicore::ReduceOp op) {
  // Each has its own function; the module's list of names numbers them.
  const std::string name = "reduce_" + std::to_string(e.module.size());
  return e.helper(name, 1 + op.getTargets().size(), 2, {},
                  [&](Function *f) { Reduction(e, op, f).emit(); });
}

} // namespace mmk
