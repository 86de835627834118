#include "codegen/thin_bytes.h"

#include "codegen/pack.h"

using namespace llvm;

namespace mmk {
namespace {

/// Rows of B that are taken at a time, and columns.
constexpr int64_t depthOfBlock = 16, columnsOfBlock = 64;
constexpr unsigned lanes = columnsOfBlock / 4, groups = depthOfBlock / 4;

/// Rows up to which reading B takes longer than the arithmetic.
constexpr int64_t mostRows = 16;

/// Rows up to which there is nothing but reading to do: a line that is asked for ahead takes the
/// place of one that is waited for, and the CPU sees by itself where that goes.
constexpr int64_t rowsOfReading = 4;

/// The least elements of B: what is smaller is near.
constexpr int64_t leastElements = 256 * 256;

/// From row to row of A, which lie on lines that share no set of the cache.
int64_t rowBytes(int64_t step) { return static_cast<int64_t>(alignTo(step, depthOfBlock)) + 64; }

Value *bytesOfSums(Emitter &e, Value *n) {
  return e.b.CreateMul(e.roundUp(n, columnsOfBlock), e.number(4));
}

/// Elements of `bits` bits of x and y in turns, from the lower or upper half of each 128 bits: one
/// instruction, where across all of the register it would be several.
Value *unpacked(Emitter &e, Value *x, Value *y, unsigned bits, bool upper) {
  const unsigned count = columnsOfBlock * 8 / bits, inPart = 128 / bits;
  Type *type = e.vectorOf(e.b.getIntNTy(bits), count);
  SmallVector<int> order;
  for (unsigned part = 0; part < count; part += inPart)
    for (unsigned i = 0; i < inPart / 2; ++i) {
      const int from = static_cast<int>(part + i + (upper ? inPart / 2 : 0));
      order.append({from, from + static_cast<int>(count)});
    }
  return e.b.CreateShuffleVector(e.b.CreateBitCast(x, type), e.b.CreateBitCast(y, type), order);
}

/// Four rows as four vectors of groups: the j-th has, of each 16 columns, those from 4 j on.
void intoGroups(Emitter &e, ArrayRef<Value *> rows, SmallVectorImpl<Value *> &groupsOfRows) {
  for (bool upper : {false, true}) {
    Value *first = unpacked(e, rows[0], rows[1], 8, upper);
    Value *second = unpacked(e, rows[2], rows[3], 8, upper);
    for (bool upperPairs : {false, true})
      groupsOfRows.push_back(unpacked(e, first, second, 16, upperPairs));
  }
}

/// 128 times the sum of each row of A, which has zeros up to whole vectors.
void addOffsets(Emitter &e, Value *a, Value *offsets, Value *aRow, Value *m, Value *k) {
  IRBuilder<> &b = e.b;
  Type *sums = e.vectorOf(b.getInt32Ty(), 4);
  e.loop(e.number(0), m, e.number(1), [&](Value *row) {
    Value *at = e.offset(a, b.CreateMul(row, aRow));
    SmallVector<Value *> sum =
        e.loop(e.number(0), k, e.number(4), {Constant::getNullValue(sums)},
               [&](Value *depth, ArrayRef<Value *> sum) {
                 Value *bytes = e.load(e.vectorOf(b.getInt8Ty(), 4), e.offset(at, depth));
                 return SmallVector<Value *>{b.CreateAdd(sum[0], b.CreateSExt(bytes, sums))};
               });
    Value *place = e.offset(offsets, b.CreateMul(row, e.number(4)));
    Value *offset = b.CreateShl(b.CreateAddReduce(sum[0]), 7);
    e.store(b.CreateAdd(e.load(b.getInt32Ty(), place), offset), place);
  });
}

// void(ptr a, ptr b, ptr sums, ptr offsets, i64 aRow, i64 bRow, i64 m, i64 n, i64 k, i64 sumRow):
// adds a * (b + 128) to the sums, their columns in the order of intoGroups, and 128 times the sum
// of each row of A to `offsets`, of i32.
Function *sumsOfBytes(Emitter &e) {
  return e.helper("thin_bytes", 4, 6, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *offsets = f->getArg(3),
          *aRow = f->getArg(4), *bRow = f->getArg(5), *m = f->getArg(6), *n = f->getArg(7),
          *k = f->getArg(8), *sumRow = f->getArg(9);
    Type *bytes = e.vectorOf(b.getInt8Ty(), columnsOfBlock),
         *vector = e.vectorOf(b.getInt32Ty(), lanes);
    Value *sign = ConstantInt::get(bytes, 0x80);
    addOffsets(e, a, offsets, aRow, m, k);
    Value *lastRow = b.CreateSub(k, e.number(1));
    Value *hasTime = b.CreateICmpSGT(m, e.number(rowsOfReading));
    e.loop(e.number(0), k, e.number(depthOfBlock), [&](Value *depth) {
      // Rows beyond the last one repeat it, for zeros of A.
      SmallVector<Value *> rows;
      for (int64_t i = 0; i < depthOfBlock; ++i) {
        Value *row = e.min(b.CreateAdd(depth, e.number(i)), lastRow);
        rows.push_back(e.offset(source, b.CreateMul(row, bRow)));
      }
      Value *ahead = b.CreateMul(bRow, e.number(depthOfBlock));
      Value *rowsOfA = e.offset(a, depth);
      e.loop(e.number(0), n, e.number(columnsOfBlock), [&](Value *column) {
        SmallVector<Value *> inGroups;
        for (unsigned group = 0; group < groups; ++group) {
          SmallVector<Value *> loaded;
          for (unsigned i = 0; i < 4; ++i) {
            Value *at = e.offset(rows[4 * group + i], column);
            loaded.push_back(b.CreateXor(e.loadSome(bytes, at, b.CreateSub(n, column)), sign));
          }
          intoGroups(e, loaded, inGroups);
        }
        // The same columns of the rows to come, each of which begins on a page of its own.
        e.when(hasTime, [&] {
          for (Value *row : rows)
            e.prefetch(e.offset(e.offset(row, column), ahead), 2);
        });
        Value *sumsAt = e.offset(sums, b.CreateMul(column, e.number(4)));
        e.loop(e.number(0), m, e.number(1), [&](Value *row) {
          Value *place = e.offset(sumsAt, b.CreateMul(row, sumRow));
          Value *elements = e.offset(rowsOfA, b.CreateMul(row, aRow));
          for (unsigned j = 0; j < 4; ++j) {
            Value *at = e.offset(place, j * lanes * 4), *sum = e.load(vector, at);
            for (unsigned group = 0; group < groups; ++group) {
              Value *four = e.load(b.getInt32Ty(), e.offset(elements, 4 * group));
              sum = emitMultiply(e, Multiply::bytes, inGroups[4 * group + j], e.splat(four, lanes),
                                 sum);
            }
            e.store(sum, at);
          }
        });
      });
    });
  });
}

// void(ptr sums, ptr offsets, i64 m, i64 n, i64 sumRow): the sums themselves, their columns in
// order.
Function *orderedSums(Emitter &e) {
  return e.helper("order_thin_bytes", 2, 3, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Value *sums = f->getArg(0), *offsets = f->getArg(1), *m = f->getArg(2), *n = f->getArg(3),
          *sumRow = f->getArg(4);
    Type *vector = e.vectorOf(b.getInt32Ty(), lanes);
    e.loop(e.number(0), m, e.number(1), [&](Value *row) {
      Value *start = e.offset(sums, b.CreateMul(row, sumRow));
      Value *four = e.load(b.getInt32Ty(), e.offset(offsets, b.CreateMul(row, e.number(4))));
      Value *offset = e.splat(four, lanes);
      e.loop(e.number(0), n, e.number(columnsOfBlock), [&](Value *column) {
        Value *at = e.offset(start, b.CreateMul(column, e.number(4)));
        Value *part[4];
        for (unsigned j = 0; j < 4; ++j)
          part[j] = b.CreateSub(e.load(vector, e.offset(at, j * lanes * 4)), offset);
        // Of each the q-th four, one after the other.
        for (int q = 0; q < 4; ++q) {
          SmallVector<int> fours, all;
          for (int i = 0; i < 8; ++i)
            fours.push_back((i < 4 ? 0 : int(lanes)) + 4 * q + i % 4);
          for (unsigned i = 0; i < lanes; ++i)
            all.push_back(static_cast<int>(i));
          Value *low = b.CreateShuffleVector(part[0], part[1], fours);
          Value *high = b.CreateShuffleVector(part[2], part[3], fours);
          e.store(b.CreateShuffleVector(low, high, all), e.offset(at, q * lanes * 4));
        }
      });
    });
  });
}

} // namespace

Value *isThinBytes(Emitter &e, const ProductOperands &operands, int64_t step, int64_t accElements) {
  IRBuilder<> &b = e.b;
  // Elements in the scratch of A have four bytes.
  if (!e.target.dotProduct || !e.target.masks() || rowBytes(step) > 4 * step)
    return b.getFalse();
  Value *sums = b.CreateMul(operands.m, e.roundUp(operands.n, columnsOfBlock));
  return b.CreateAnd({b.CreateICmpSLE(operands.m, e.number(mostRows)),
                      b.CreateICmpEQ(operands.b.column, e.number(1)),
                      b.CreateICmpSGE(b.CreateMul(operands.n, operands.k), e.number(leastElements)),
                      b.CreateICmpSLE(sums, e.number(accElements / 2))});
}

SumsInMemory emitThinBytes(Emitter &e, const ProductOperands &operands, int64_t step) {
  IRBuilder<> &b = e.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k, *sumRow = bytesOfSums(e, n);
  Value *offsets = e.local(ArrayType::get(b.getInt32Ty(), mostRows)),
        *aRow = e.number(rowBytes(step));
  auto clear = [&](Value *at, Value *bytes) {
    b.CreateMemSet(at, b.getInt8(0), bytes, MaybeAlign());
  };
  clear(offsets, e.number(4 * mostRows));
  clear(operands.acc, b.CreateMul(m, sumRow));
  Function *move = moveElements(e, b.getInt8Ty(), b.getInt8Ty());
  e.loop(e.number(0), k, e.number(step), [&](Value *from) {
    Value *depth = e.min(e.number(step), b.CreateSub(k, from));
    const Plane &planeA = operands.a, &planeB = operands.b;
    clear(operands.aScratch, b.CreateMul(m, aRow));
    b.CreateCall(move,
                 {operands.aScratch, e.offset(planeA.pointer, b.CreateMul(from, planeA.column)),
                  aRow, planeA.row, planeA.column, m, depth});
    b.CreateCall(sumsOfBytes(e),
                 {operands.aScratch, e.offset(planeB.pointer, b.CreateMul(from, planeB.row)),
                  operands.acc, offsets, aRow, planeB.row, m, n, depth, sumRow});
  });
  b.CreateCall(orderedSums(e), {operands.acc, offsets, m, n, sumRow});
  return {operands.acc, sumRow};
}

} // namespace mmk
