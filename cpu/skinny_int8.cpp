#include "cpu/skinny_int8.h"

#include "codegen/pack.h"
#include "cpu/tuning.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr int64_t depthOfBlock = CpuTuning::skinnyInt8Depth;
/// Columns of a block: a row of it fills a vector register of AVX-512.
constexpr int64_t columnsOfBlock = 64;
constexpr unsigned lanes = columnsOfBlock / 4;
/// With a single row of A, which is bound by reading: one group of rows of B, whose lines fit L1
/// even in one set.
constexpr int64_t depthOfRow = 4;

/// The stride of rows of A, on lines that share no set of the cache.
int64_t rowBytes(int64_t step) { return static_cast<int64_t>(alignTo(step, depthOfBlock)) + 64; }

Value *bytesOfSums(Emitter &e, Value *n) {
  return e.b.CreateMul(e.roundUp(n, columnsOfBlock), e.number(4));
}

/// Interleaves elements of `bits` bits of x and y, from the lower or upper half of each 128 bits:
/// one instruction, while a permutation of the whole register takes several.
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

/// Four rows as four vectors of groups: the j-th holds, of each 16 columns, the four from 4 j on.
void intoGroups(Emitter &e, ArrayRef<Value *> rows, SmallVectorImpl<Value *> &groupsOfRows) {
  for (bool upper : {false, true}) {
    Value *first = unpacked(e, rows[0], rows[1], 8, upper);
    Value *second = unpacked(e, rows[2], rows[3], 8, upper);
    for (bool upperPairs : {false, true})
      groupsOfRows.push_back(unpacked(e, first, second, 16, upperPairs));
  }
}

/// The zero-point compensation: 128 times the sum of each row of A over k, also of padding rows, is
/// added.
void addOffsets(Emitter &e, Value *a, Value *offsets, Value *aRow, Value *k) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  Type *sums = e.vectorOf(b.getInt32Ty(), tuning.skinnyRows);
  Value *more = e.local(sums);
  for (int64_t row = 0; row < tuning.skinnyRows; row += e.target.rows())
    b.CreateCall(zeroPointCompensation(e),
                 {e.offset(a, b.CreateMul(aRow, e.number(row))), e.offset(more, row * 4), aRow, k});
  e.store(b.CreateAdd(e.load(sums, offsets), e.load(sums, more)), offsets);
}

// void(ptr a, ptr b, ptr sums, i64 aRow, i64 bRow, i64 m, i64 n, i64 k, i64 sumRow): adds
// a * (b + 128) to the sums, their columns in the order of intoGroups; `depth` rows of B at a time,
// and of depthOfRow for one row of A.
Function *sumsOfBytes(Emitter &e, int64_t depth) {
  return e.helper("skinny_int8_" + std::to_string(depth), 3, 6, {}, [&](Function *f) {
    markLazy(*f);
    const CpuTuning tuning(e.target);
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *aRow = f->getArg(3),
          *bRow = f->getArg(4), *m = f->getArg(5), *n = f->getArg(6), *k = f->getArg(7),
          *sumRow = f->getArg(8);
    Type *bytes = e.vectorOf(b.getInt8Ty(), columnsOfBlock),
         *vector = e.vectorOf(b.getInt32Ty(), lanes);
    const int64_t groups = depth / 4;
    Value *sign = ConstantInt::get(bytes, 0x80);
    Value *lastBlock = b.CreateSub(n, e.number(columnsOfBlock));
    Value *ahead = b.CreateMul(bRow, e.number(depthOfBlock));
    Value *hasTime = depth == depthOfRow
                         ? b.getTrue()
                         : b.CreateICmpSGT(m, e.number(tuning.skinnyInt8RowsByReading));
    auto foursOf = [&](Value *elements) {
      SmallVector<Value *> fours;
      for (int64_t group = 0; group < groups; ++group)
        fours.push_back(e.splat(e.load(b.getInt32Ty(), e.offset(elements, 4 * group)), lanes));
      return fours;
    };
    auto addRow = [&](ArrayRef<Value *> inGroups, Value *place, ArrayRef<Value *> fours) {
      for (int64_t j = 0; j < 4; ++j) {
        Value *at = e.offset(place, j * lanes * 4), *sum = e.load(vector, at);
        for (int64_t group = 0; group < groups; ++group)
          sum = emitMultiply(e, Multiply::int8Dot4, inGroups[4 * group + j], fours[group], sum);
        e.store(sum, at);
      }
    };
    auto addRows = [&](Value *from, Value *firstColumn, Value *columnEnd) {
      // A ragged last group of rows overlaps the one before, where A is zero.
      SmallVector<Value *> rows = {
          e.offset(source, b.CreateMul(e.min(from, b.CreateSub(k, e.number(depth))), bRow))};
      while (rows.size() < static_cast<size_t>(depth))
        rows.push_back(e.offset(rows.back(), bRow));
      Value *rowsOfA = e.offset(a, from);
      SmallVector<Value *> fours;
      if (depth == depthOfRow)
        fours = foursOf(rowsOfA);
      e.loop(firstColumn, columnEnd, e.number(columnsOfBlock), [&](Value *place) {
        // A ragged last block overlaps the one before, so that every block has the same size.
        Value *column = e.min(place, lastBlock);
        SmallVector<Value *> inGroups;
        for (int64_t group = 0; group < groups; ++group) {
          SmallVector<Value *> loaded;
          for (int64_t i = 0; i < 4; ++i) {
            Value *ofRow = e.load(bytes, e.offset(rows[4 * group + i], column));
            loaded.push_back(b.CreateXor(ofRow, sign));
          }
          intoGroups(e, loaded, inGroups);
        }
        // Prefetches the same columns of the next rows, each of which begins on a page of its own.
        e.when(hasTime, [&] {
          Value *toCome = b.CreateAdd(column, ahead);
          for (Value *row : rows)
            e.prefetch(e.offset(row, toCome), 2);
        });
        Value *sumsAt = e.offset(sums, b.CreateMul(place, e.number(4)));
        if (depth == depthOfRow)
          return addRow(inGroups, sumsAt, fours);
        e.loop(e.number(0), m, e.number(1), [&](Value *row) {
          addRow(inGroups, e.offset(sumsAt, b.CreateMul(row, sumRow)),
                 foursOf(e.offset(rowsOfA, b.CreateMul(row, aRow))));
        });
      });
    };
    if (depth != depthOfRow) {
      e.loop(e.number(0), k, e.number(depth), [&](Value *from) { addRows(from, e.number(0), n); });
      return;
    }
    e.loop(e.number(0), k, e.number(tuning.gemvInt8Depth), [&](Value *piece) {
      Value *end = e.min(b.CreateAdd(piece, e.number(tuning.gemvInt8Depth)), k);
      e.loop(e.number(0), n, e.number(tuning.gemvInt8Columns), [&](Value *column) {
        Value *columnEnd = e.min(b.CreateAdd(column, e.number(tuning.gemvInt8Columns)), n);
        e.loop(piece, end, e.number(depth), [&](Value *from) { addRows(from, column, columnEnd); });
      });
    });
  });
}

// void(ptr sums, ptr offsets, i64 m, i64 n, i64 sumRow): the final sums, with their columns in
// order.
Function *orderedSums(Emitter &e) {
  return e.helper("order_skinny_int8", 2, 3, {}, [&](Function *f) {
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
        Value *first = e.min(column, b.CreateSub(n, e.number(columnsOfBlock)));
        Value *to = e.offset(start, b.CreateMul(first, e.number(4)));
        Value *part[4];
        for (unsigned j = 0; j < 4; ++j)
          part[j] = b.CreateSub(e.load(vector, e.offset(at, j * lanes * 4)), offset);
        // The q-th four of each, one after the other.
        for (int q = 0; q < 4; ++q) {
          SmallVector<int> fours, all;
          for (int i = 0; i < 8; ++i)
            fours.push_back((i < 4 ? 0 : int(lanes)) + 4 * q + i % 4);
          for (unsigned i = 0; i < lanes; ++i)
            all.push_back(static_cast<int>(i));
          Value *low = b.CreateShuffleVector(part[0], part[1], fours);
          Value *high = b.CreateShuffleVector(part[2], part[3], fours);
          e.store(b.CreateShuffleVector(low, high, all), e.offset(to, q * lanes * 4));
        }
      });
    });
  });
}

} // namespace

Value *isSkinnyInt8(Emitter &e, const ProductOperands &operands, int64_t step,
                    int64_t accElements) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  // Elements in the scratch of A have four bytes.
  if (!e.target.hasVnni || !e.target.masks() || step < depthOfBlock || rowBytes(step) > 4 * step)
    return b.getFalse();
  Value *sums = b.CreateMul(operands.m, e.roundUp(operands.n, columnsOfBlock));
  return b.CreateAnd(
      {b.CreateICmpSLE(operands.m, e.number(tuning.skinnyRows)),
       b.CreateICmpEQ(operands.b.column, e.number(1)),
       b.CreateICmpSGE(operands.n, e.number(columnsOfBlock)),
       b.CreateICmpSGE(operands.k, e.number(depthOfBlock)),
       b.CreateICmpSGE(b.CreateMul(operands.n, operands.k), e.number(tuning.skinnyInt8Elements)),
       b.CreateICmpSLE(sums, e.number(accElements / 2))});
}

SumsInMemory emitSkinnyInt8(Emitter &e, const ProductOperands &operands, int64_t step) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k, *sumRow = bytesOfSums(e, n);
  Value *offsets = e.local(ArrayType::get(b.getInt32Ty(), tuning.skinnyRows)),
        *aRow = e.number(rowBytes(step));
  auto clear = [&](Value *at, Value *bytes) {
    b.CreateMemSet(at, b.getInt8(0), bytes, MaybeAlign());
  };
  clear(offsets, e.number(4 * tuning.skinnyRows));
  clear(operands.acc, b.CreateMul(m, sumRow));
  Value *isRow = b.CreateICmpEQ(m, e.number(1));
  Function *ofRows = sumsOfBytes(e, depthOfBlock);
  Value *function = b.CreateSelect(isRow, sumsOfBytes(e, depthOfRow), ofRows);
  Value *unit = b.CreateSelect(isRow, e.number(depthOfRow), e.number(depthOfBlock));
  e.loop(e.number(0), k, e.number(step), [&](Value *from) {
    Value *depth = e.min(e.number(step), b.CreateSub(k, from));
    const Plane &planeA = operands.a, &planeB = operands.b;
    // Zeros precede the rest after whole groups of rows.
    Value *rest = b.CreateURem(depth, unit), *whole = b.CreateSub(depth, rest);
    Value *filled = b.CreateMul(e.ceilDiv(depth, unit), unit);
    clear(operands.aScratch, b.CreateMul(m, aRow));
    auto move = [&](Value *to, Value *first, Value *count) {
      Value *source =
          e.offset(planeA.pointer, b.CreateMul(b.CreateAdd(from, first), planeA.column));
      b.CreateCall(
          moveElements(e, b.getInt8Ty(), b.getInt8Ty()),
          {e.offset(operands.aScratch, to), source, aRow, planeA.row, planeA.column, m, count});
    };
    move(e.number(0), e.number(0), whole);
    move(b.CreateSub(filled, rest), whole, rest);
    addOffsets(e, operands.aScratch, offsets, aRow, filled);
    b.CreateCall(ofRows->getFunctionType(), function,
                 {operands.aScratch, e.offset(planeB.pointer, b.CreateMul(from, planeB.row)),
                  operands.acc, aRow, planeB.row, m, n, depth, sumRow});
  });
  b.CreateCall(orderedSums(e), {operands.acc, offsets, m, n, sumRow});
  return {operands.acc, sumRow};
}

} // namespace mmk
