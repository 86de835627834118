#include "cpu/skinny_floats.h"

#include "codegen/pack.h"
#include "cpu/gemv.h"
#include "cpu/tuning.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr int64_t depthOfFloats = CpuTuning::skinnyFloatDepth;

/// A ragged last block overlaps the one before, so that it has the full size, or all columns if
/// they are fewer.
Value *firstOfLastBlock(Emitter &e, Value *n) {
  Value *block = e.number(columnsOfSkinnyBlock(e));
  return e.b.CreateSub(n, e.min(n, block));
}

// void(ptr a, ptr b, ptr sums, i64 aRow, i64 bRow, i64 m, i64 n, i64 k, i64 sumRow): adds to the
// sums of a few rows, over B in place. Several of its rows are read together from end to end, so
// that memory is read once and in order; each vector is widened once for all rows of A, and the
// sums, resident in L2, are updated once for several rows of B.
Function *skinnySums(Emitter &e, Type *element) {
  return e.helper("skinny_" + Emitter::nameOf(element), 3, 6, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *aRow = f->getArg(3),
          *bRow = f->getArg(4), *m = f->getArg(5), *n = f->getArg(6), *k = f->getArg(7),
          *sumRow = f->getArg(8);
    const int64_t lanes = e.target.lanes, size = e.bytesOf(element),
                  vectors = columnsOfSkinnyBlock(e) / lanes;
    Value *lastBlock = firstOfLastBlock(e, n);
    Type *vector = e.vectorOf(element, lanes), *wide = e.vectorOf(e.f32(), lanes);
    auto rowsOfB = [&](int64_t count, Value *from, Value *to) {
      e.loop(from, to, e.number(count), [&](Value *depth) {
        Value *rowsOfA = e.offset(a, b.CreateMul(depth, e.number(4)));
        Value *start = e.offset(source, b.CreateMul(depth, bRow));
        Value *blockBytes = b.CreateMul(bRow, e.number(depthOfFloats));
        e.loop(e.number(0), n, e.number(columnsOfSkinnyBlock(e)), [&](Value *place) {
          Value *column = e.min(place, lastBlock);
          SmallVector<SmallVector<Value *>> loaded(count);
          Value *at = e.offset(start, b.CreateMul(column, e.number(size)));
          for (int64_t i = 0; i < count; ++i, at = e.offset(at, bRow))
            for (int64_t v = 0; v < vectors; ++v) {
              Value *from = e.offset(at, v * lanes * size);
              // Without a whole block, one mask serves all rows.
              Value *ofB = e.target.masks()
                               ? e.loadSome(vector, from, b.CreateSub(n, e.number(v * lanes)))
                               : e.load(vector, from);
              loaded[i].push_back(e.convert(ofB, e.f32()));
              // A piece of a row is too short for the hardware prefetcher. Not into L1, where
              // pieces of so many rows would conflict. Vectors of two bytes an element prefetch a
              // line twice: from L3 they are a tenth faster (measured on Zen 4), and from memory
              // not slower.
              if (count == depthOfFloats)
                e.prefetch(e.offset(from, blockBytes), 2);
            }
          Value *sumAt = e.offset(sums, b.CreateMul(place, e.number(4)));
          e.loop(e.number(0), m, e.number(1), [&](Value *row) {
            Value *to = e.offset(sumAt, b.CreateMul(row, sumRow));
            SmallVector<Value *> sum;
            for (int64_t v = 0; v < vectors; ++v)
              sum.push_back(e.load(wide, e.offset(to, v * lanes * 4)));
            Value *elements = e.offset(rowsOfA, b.CreateMul(row, aRow));
            for (int64_t i = 0; i < count; ++i) {
              Value *broadcast = e.splat(e.load(e.f32(), e.offset(elements, i * 4)), lanes);
              for (int64_t v = 0; v < vectors; ++v)
                sum[v] = emitMultiply(e, Multiply::f32, broadcast, loaded[i][v], sum[v]);
            }
            for (int64_t v = 0; v < vectors; ++v)
              e.store(sum[v], e.offset(to, v * lanes * 4));
          });
        });
      });
    };
    Value *main = e.roundDown(k, depthOfFloats);
    rowsOfB(depthOfFloats, e.number(0), main);
    rowsOfB(1, main, k);
  });
}

} // namespace

Value *isSkinnyFloats(Emitter &e, const ProductOperands &operands, Type *element,
                      int64_t accElements) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  Value *isDense = b.CreateICmpEQ(operands.b.column, e.number(e.bytesOf(element)));
  // Fewer columns than a block are loaded by masks.
  Value *areEnough = e.target.masks()
                         ? b.getTrue()
                         : b.CreateICmpSGE(operands.n, e.number(columnsOfSkinnyBlock(e)));
  // Sums, and their transpose.
  Value *haveRoom =
      b.CreateICmpSLE(operands.n, e.number(accElements / (2 * tuning.skinnyRows) - 64));
  return b.CreateAnd(
      {b.CreateICmpSLE(operands.m, e.number(tuning.skinnyRows)), isDense, areEnough, haveRoom});
}

SumsInMemory emitSkinnyFloats(Emitter &e, const ProductOperands &operands, Type *element,
                              int64_t step) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  const Plane &planeA = operands.a, &planeB = operands.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t block = columnsOfSkinnyBlock(e);
  Value *aRow = e.number(step * 4 + tuning.rowPadding);
  // The same for the rows of the sums.
  Value *sumRow =
      b.CreateAdd(b.CreateMul(e.roundUp(n, block), e.number(4)), e.number(tuning.rowPadding));
  b.CreateMemSet(operands.acc, b.getInt8(0), b.CreateMul(m, sumRow), MaybeAlign());
  Function *ofRows = skinnySums(e, element);
  Value *isRow = b.CreateAnd(b.CreateICmpEQ(m, e.number(1)), b.CreateICmpSGE(n, e.number(block)));
  Value *function = b.CreateSelect(isRow, gemvSums(e, element, ofRows), ofRows);
  Value *lastBlock = firstOfLastBlock(e, n);
  Value *most = e.roundDown(b.CreateUDiv(e.number(tuning.skinnySumBytes / 4), m), block);
  e.loop(e.number(0), k, e.number(step), [&](Value *from) {
    Value *depth = e.min(e.number(step), b.CreateSub(k, from));
    Value *sourceA = e.offset(planeA.pointer, b.CreateMul(from, planeA.column));
    b.CreateCall(moveElements(e, element, e.f32()),
                 {operands.aScratch, sourceA, aRow, planeA.row, planeA.column, m, depth});
    Value *sourceB = e.offset(planeB.pointer, b.CreateMul(from, planeB.row));
    e.loop(e.number(0), n, most, [&](Value *place) {
      Value *column = e.min(place, lastBlock);
      b.CreateCall(ofRows->getFunctionType(), function,
                   {operands.aScratch, e.offset(sourceB, b.CreateMul(column, planeB.column)),
                    e.offset(operands.acc, b.CreateMul(place, e.number(4))), aRow, planeB.row, m,
                    e.min(most, b.CreateSub(n, column)), depth, sumRow});
    });
  });
  // Copies the sums of the last block to their columns.
  Value *place = b.CreateSub(e.roundUp(n, block), e.number(block));
  Type *sums = e.vectorOf(e.f32(), block);
  e.loop(e.number(0), m, e.number(1), [&](Value *row) {
    Value *start = e.offset(operands.acc, b.CreateMul(row, sumRow));
    e.store(e.load(sums, e.offset(start, b.CreateMul(place, e.number(4)))),
            e.offset(start, b.CreateMul(lastBlock, e.number(4))));
  });
  return {operands.acc, sumRow};
}

} // namespace mmk
