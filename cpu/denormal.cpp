#include "cpu/denormal.h"

using namespace llvm;

namespace mmk {
namespace {

/// The least sum of two biased exponents whose product of bf16 is a multiple of 2^-126: products
/// have 14 bits below the sum of the exponents, so it is 2 * 127 - 126 + 14. From exponent 1 on,
/// numbers are normal.
constexpr int64_t leastSumOfExponents = 142;

// void(ptr least, ptr from, i64 rowBytes, i64 rows, i64 columns): the least key of all elements,
// where a key is twice the bits of an element, less one, in 16 bits: the sign is shifted out, and
// zero has the largest key.
Function *leastKey(Emitter &e) {
  return e.helper("least_key_of_bf16", 2, 3, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    const unsigned lanes = 2 * e.target.lanes;
    Value *least = f->getArg(0), *from = f->getArg(1), *rowBytes = f->getArg(2),
          *rows = f->getArg(3), *columns = f->getArg(4);
    // Contiguous rows are treated as one.
    Value *isOne = b.CreateICmpEQ(rowBytes, b.CreateMul(columns, e.number(2)));
    columns = b.CreateSelect(isOne, b.CreateMul(rows, columns), columns);
    rows = b.CreateSelect(isOne, e.number(1), rows);
    Type *vector = e.vectorOf(b.getInt16Ty(), lanes);
    auto lower = [&](Value *known, Value *bits) {
      Value *key = b.CreateSub(b.CreateAdd(bits, bits), ConstantInt::get(vector, 1));
      return b.CreateBinaryIntrinsic(Intrinsic::umin, known, key);
    };
    // Several minima at once, or each would wait for the one before.
    constexpr int64_t chains = 4;
    Value *highest = Constant::getAllOnesValue(vector);
    SmallVector<Value *> known = e.loop(
        e.number(0), rows, e.number(1), SmallVector<Value *>(chains, highest),
        [&](Value *row, ArrayRef<Value *> before) {
          Value *start = e.offset(from, b.CreateMul(row, rowBytes));
          auto at = [&](Value *column, int64_t chain) {
            return e.offset(e.offset(start, b.CreateMul(column, e.number(2))), chain * lanes * 2);
          };
          Value *whole = e.roundDown(columns, chains * lanes);
          SmallVector<Value *> known =
              e.loop(e.number(0), whole, e.number(chains * lanes), before,
                     [&](Value *column, ArrayRef<Value *> before) {
                       SmallVector<Value *> next;
                       for (int64_t chain = 0; chain < chains; ++chain)
                         next.push_back(lower(before[chain], e.load(vector, at(column, chain))));
                       return next;
                     });
          known[0] = e.loop(whole, columns, e.number(lanes), {known[0]},
                            [&](Value *column, ArrayRef<Value *> before) {
                              Value *some =
                                  e.loadSome(vector, at(column, 0), b.CreateSub(columns, column));
                              return SmallVector<Value *>{lower(before[0], some)};
                            })[0];
          return known;
        });
    Value *all = known[0];
    for (Value *chain : ArrayRef(known).drop_front())
      all = b.CreateBinaryIntrinsic(Intrinsic::umin, all, chain);
    e.store(b.CreateUnaryIntrinsic(Intrinsic::vector_reduce_umin, all), least);
  });
}

} // namespace

Value *leastExponent(Emitter &e, const Plane &plane, Value *rows, Value *columns) {
  IRBuilder<> &b = e.b;
  Value *alongRows = b.CreateICmpEQ(plane.column, e.number(2));
  Value *isDense = b.CreateOr(alongRows, b.CreateICmpEQ(plane.row, e.number(2)));
  Value *least = e.local(b.getInt16Ty());
  e.store(b.getInt16(0), least);
  e.when(isDense, [&] {
    auto choose = [&](Value *x, Value *y) { return b.CreateSelect(alongRows, x, y); };
    b.CreateCall(leastKey(e), {least, plane.pointer, choose(plane.row, plane.column),
                               choose(rows, columns), choose(columns, rows)});
  });
  Value *key = b.CreateZExt(e.load(b.getInt16Ty(), least), e.i64());
  return b.CreateLShr(b.CreateAdd(key, e.number(1)), 8);
}

Value *leastExponentOf(Emitter &e, Value *start, ArrayRef<Value *> counts,
                       ArrayRef<Value *> strides) {
  if (counts.size() == 1) {
    Value *step = e.b.CreateMul(strides[0], e.number(2));
    return leastExponent(e, {start, step, step}, e.number(1), counts[0]);
  }
  if (counts.size() == 2)
    return leastExponent(
        e, {start, e.b.CreateMul(strides[0], e.number(2)), e.b.CreateMul(strides[1], e.number(2))},
        counts[0], counts[1]);
  // Above that of every number.
  Value *none = e.number(0x100);
  return e.loop(
      e.number(0), counts[0], e.number(1), {none}, [&](Value *i, ArrayRef<Value *> known) {
        Value *at = e.offset(start, e.b.CreateMul(e.b.CreateMul(i, strides[0]), e.number(2)));
        Value *inner = leastExponentOf(e, at, counts.drop_front(), strides.drop_front());
        return SmallVector<Value *>{e.min(known[0], inner)};
      })[0];
}

Value *isFarFromDenormal(Emitter &e, const Plane &plane, Value *rows, Value *columns) {
  constexpr int64_t exponent = leastSumOfExponents / 2;
  return e.b.CreateICmpSGE(leastExponent(e, plane, rows, columns), e.number(exponent));
}

// That of a constant was found when it was packed.
Value *leastExponentOfB(Emitter &e, const ProductOperands &operands) {
  return operands.constant.prefix ? e.load(e.i64(), operands.constant.prefix)
                                  : leastExponent(e, operands.b, operands.k, operands.n);
}

Value *isDenormalFree(Emitter &e, const ProductOperands &operands) {
  return areDenormalFree(e, leastExponent(e, operands.a, operands.m, operands.k),
                         leastExponentOfB(e, operands));
}

Value *areDenormalFree(Emitter &e, Value *ofA, Value *ofB) {
  IRBuilder<> &b = e.b;
  return b.CreateAnd({b.CreateICmpSGE(ofA, e.number(1)), b.CreateICmpSGE(ofB, e.number(1)),
                      b.CreateICmpSGE(b.CreateAdd(ofA, ofB), e.number(leastSumOfExponents))});
}

} // namespace mmk
