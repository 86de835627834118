#include "codegen/thin_floats.h"

#include "codegen/pack.h"

using namespace llvm;

namespace mmk {
namespace {

/// Rows of B that are taken at a time.
constexpr int64_t depthOfBlock = 8;

/// The least elements of B: what is smaller is near, and sums stay in registers.
constexpr int64_t leastElements = 256 * 256;

/// Bytes of the sums of a pass, which stay in the second-level cache: touched once for so many rows
/// of B, they need not be nearer, and the more there are, the longer are the pieces of those rows.
constexpr int64_t bytesOfSums = 64 << 10;

// void(ptr a, ptr b, ptr sums, i64 aRow, i64 bRow, i64 m, i64 n, i64 k, i64 sumRow): adds to the
// sums of a few rows, over B as it lies. Some of its rows at a time are read from end to end, so
// that memory is read once and in order; each vector of them is widened once for all rows of A, and
// the sums, which stay near, are touched once for so many products.
Function *thinSums(Emitter &e, Type *element) {
  return e.helper("thin_" + Emitter::nameOf(element), 3, 6, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *aRow = f->getArg(3),
          *bRow = f->getArg(4), *m = f->getArg(5), *n = f->getArg(6), *k = f->getArg(7),
          *sumRow = f->getArg(8);
    const int64_t lanes = e.target.lanes, size = e.bytesOf(element);
    Type *vector = e.vectorOf(element, lanes), *wide = e.vectorOf(e.f32(), lanes);
    auto rowsOfB = [&](int64_t count, Value *from, Value *to) {
      e.loop(from, to, e.number(count), [&](Value *depth) {
        Value *rowsOfA = e.offset(a, b.CreateMul(depth, e.number(4)));
        Value *start = e.offset(source, b.CreateMul(depth, bRow));
        Value *blockBytes = b.CreateMul(bRow, e.number(depthOfBlock));
        auto columns = [&](Value *column, int64_t vectors,
                           function_ref<Value *(Value * of, Value * column)> load) {
          SmallVector<SmallVector<Value *>> loaded;
          Value *at = e.offset(start, b.CreateMul(column, e.number(size)));
          for (int64_t i = 0; i < count; ++i, at = e.offset(at, bRow))
            for (int64_t v = 0; v < vectors; ++v) {
              Value *elements =
                  load(e.offset(at, v * lanes * size), b.CreateAdd(column, e.number(v * lanes)));
              if (v == 0)
                loaded.emplace_back();
              loaded.back().push_back(e.convert(elements, e.f32()));
              // A piece of a row is too short for the hardware to see where it goes. Not into the
              // nearest cache, where pieces of so many rows would be in each other's way.
              if (count == depthOfBlock && v * lanes * size % Emitter::lineBytes == 0)
                e.prefetch(e.offset(e.offset(at, blockBytes), v * lanes * size), 2);
            }
          Value *sumAt = e.offset(sums, b.CreateMul(column, e.number(4)));
          e.loop(e.number(0), m, e.number(1), [&](Value *row) {
            Value *to = e.offset(sumAt, b.CreateMul(row, sumRow));
            SmallVector<Value *> sum;
            for (int64_t v = 0; v < vectors; ++v)
              sum.push_back(e.load(wide, e.offset(to, v * lanes * 4)));
            Value *elements = e.offset(rowsOfA, b.CreateMul(row, aRow));
            for (int64_t i = 0; i < count; ++i) {
              Value *spread = e.splat(e.load(e.f32(), e.offset(elements, i * 4)), lanes);
              for (int64_t v = 0; v < vectors; ++v)
                sum[v] = emitMultiply(e, Multiply::f32, spread, loaded[i][v], sum[v]);
            }
            for (int64_t v = 0; v < vectors; ++v)
              e.store(sum[v], e.offset(to, v * lanes * 4));
          });
        };
        auto some = [&](Value *of, Value *column) {
          return e.loadSome(vector, of, b.CreateSub(n, column));
        };
        if (e.target.masks()) {
          // Each element of A that is spread out serves two vectors; there are registers for them.
          e.loop(e.number(0), n, e.number(2 * lanes), [&](Value *at) { columns(at, 2, some); });
          return;
        }
        Value *whole = e.roundDown(n, lanes);
        e.loop(e.number(0), whole, e.number(lanes), [&](Value *at) {
          columns(at, 1, [&](Value *of, Value *) { return e.load(vector, of); });
        });
        e.when(b.CreateICmpSLT(whole, n), [&] { columns(whole, 1, some); });
      });
    };
    Value *main = e.roundDown(k, depthOfBlock);
    rowsOfB(depthOfBlock, e.number(0), main);
    rowsOfB(1, main, k);
  });
}

} // namespace

Value *isThinFloats(Emitter &e, const ProductOperands &operands, Type *element,
                    int64_t accElements) {
  IRBuilder<> &b = e.b;
  Value *isDense = b.CreateICmpEQ(operands.b.column, e.number(e.bytesOf(element)));
  return b.CreateAnd(
      {b.CreateICmpSLE(operands.m, e.number(mostThinRows)), isDense,
       b.CreateICmpSGE(b.CreateMul(operands.n, operands.k), e.number(leastElements)),
       // Sums, and the same in another order.
       b.CreateICmpSLE(operands.n, e.number(accElements / (2 * mostThinRows) - 64))});
}

SumsInMemory emitThinFloats(Emitter &e, const ProductOperands &operands, Type *element,
                            int64_t step) {
  IRBuilder<> &b = e.b;
  const Plane &planeA = operands.a, &planeB = operands.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t lanes = e.target.lanes;
  Value *aRow = e.number(step * 4 + rowPadding);
  // As for the rows of A, so for those of the sums.
  Value *sumRow = b.CreateAdd(b.CreateMul(e.roundUp(n, lanes), e.number(4)), e.number(rowPadding));
  b.CreateMemSet(operands.acc, b.getInt8(0), b.CreateMul(m, sumRow), MaybeAlign());
  Value *most = e.roundDown(b.CreateUDiv(e.number(bytesOfSums / 4), m), 2 * lanes);
  e.loop(e.number(0), k, e.number(step), [&](Value *from) {
    Value *depth = e.min(e.number(step), b.CreateSub(k, from));
    Value *sourceA = e.offset(planeA.pointer, b.CreateMul(from, planeA.column));
    b.CreateCall(moveElements(e, element, e.f32()),
                 {operands.aScratch, sourceA, aRow, planeA.row, planeA.column, m, depth});
    Value *sourceB = e.offset(planeB.pointer, b.CreateMul(from, planeB.row));
    e.loop(e.number(0), n, most, [&](Value *column) {
      b.CreateCall(thinSums(e, element),
                   {operands.aScratch, e.offset(sourceB, b.CreateMul(column, planeB.column)),
                    e.offset(operands.acc, b.CreateMul(column, e.number(4))), aRow, planeB.row, m,
                    e.min(most, b.CreateSub(n, column)), depth, sumRow});
    });
  });
  return {operands.acc, sumRow};
}

} // namespace mmk
