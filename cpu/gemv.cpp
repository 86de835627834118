#include "cpu/gemv.h"

#include "codegen/pack.h"
#include "cpu/tuning.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr unsigned parts = CpuTuning::gemvParts;

} // namespace

int64_t columnsOfSkinnyBlock(const Emitter &e) {
  return (e.target.masks() ? 2 : 1) * static_cast<int64_t>(e.target.lanes);
}

// The rows of an update are far apart, one of each part: each part is one long stream, while
// adjacent rows would all end, and others begin, at once.
Function *gemvSums(Emitter &e, Type *element, Function *ofRows) {
  return e.helper("gemv_" + Emitter::nameOf(element), 3, 6, {}, [&](Function *f) {
    markLazy(*f);
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *bRow = f->getArg(4),
          *n = f->getArg(6), *k = f->getArg(7);
    const int64_t lanes = e.target.lanes, size = e.bytesOf(element),
                  block = columnsOfSkinnyBlock(e);
    const int64_t ofLine = std::min(Emitter::lineBytes / size, block);
    Type *vector = e.vectorOf(element, lanes), *wide = e.vectorOf(e.f32(), lanes);
    auto bytes = [&](Value *columns) { return b.CreateMul(columns, e.number(size)); };
    // From here on, the prefetched data is in the next row.
    Value *turn = e.roundDown(
        b.CreateSub(n, e.min(n, e.number(CpuTuning(e.target).gemvPrefetchBytes / size))), block);
    Value *end = e.roundUp(n, block), *lastBlock = b.CreateSub(end, e.number(block));
    Value *part = b.CreateUDiv(k, e.number(parts)), *partBytes = b.CreateMul(part, bRow);
    e.loop(e.number(0), part, e.number(1), [&](Value *depth) {
      Value *factor = e.offset(a, b.CreateMul(depth, e.number(4)));
      SmallVector<Value *> factors;
      for (unsigned i = 0; i < parts; ++i) {
        factors.push_back(e.splat(e.load(e.f32(), factor), lanes));
        factor = e.offset(factor, b.CreateMul(part, e.number(4)));
      }
      // A ragged last block overlaps the one before, so that every block has the same size.
      e.loop(e.number(0), e.number(3), e.number(1), [&](Value *i) {
        Value *isFirst = b.CreateICmpEQ(i, e.number(0)), *isLast = b.CreateICmpEQ(i, e.number(2));
        Value *from = b.CreateSelect(isLast, lastBlock, b.CreateSelect(isFirst, e.number(0), turn));
        Value *to = b.CreateSelect(isLast, end, b.CreateSelect(isFirst, turn, lastBlock));
        Value *column = b.CreateSelect(isLast, b.CreateSub(n, e.number(block)), from);
        Value *ahead = b.CreateSub(b.CreateSelect(isFirst, bytes(n), bRow), bytes(turn));
        // One pointer for three rows, at 0, 1 and 2 times the stride, which an x86 address can
        // scale by.
        constexpr unsigned ofPointer = 3;
        Value *row = e.offset(source, e.plus(b.CreateMul(depth, bRow), column, size));
        SmallVector<Value *> rows;
        for (unsigned i = 0; i < parts; i += ofPointer) {
          rows.push_back(row);
          row = e.offset(row, b.CreateMul(partBytes, e.number(ofPointer)));
        }
        e.loop(from, to, e.number(ofLine), rows, [&](Value *place, ArrayRef<Value *> rows) {
          Value *sumsAt = e.offset(sums, b.CreateMul(place, e.number(4)));
          SmallVector<Value *> sum, next;
          for (int64_t v = 0; v < ofLine; v += lanes)
            sum.push_back(e.load(wide, e.offset(sumsAt, v * 4)));
          for (auto [i, factor] : enumerate(factors)) {
            Value *distance = b.CreateMul(partBytes, e.number(i % ofPointer));
            Value *ofRow = e.offset(rows[i / ofPointer], distance);
            Value *toCome = e.offset(e.offset(rows[i / ofPointer], ahead), distance);
            for (auto [v, added] : enumerate(sum)) {
              const int64_t at = static_cast<int64_t>(v) * lanes * size;
              // Not into L1, where lines of so many rows would conflict. Vectors of two bytes an
              // element prefetch a line twice: prefetches are dropped when the fill buffers are
              // full.
              e.prefetch(e.offset(toCome, at), 2);
              Value *ofB = e.convert(e.load(vector, e.offset(ofRow, at)), e.f32());
              added = emitMultiply(e, Multiply::f32, factor, ofB, added);
            }
          }
          for (auto [v, added] : enumerate(sum))
            e.store(added, e.offset(sumsAt, static_cast<int64_t>(v) * lanes * 4));
          for (Value *row : rows)
            next.push_back(e.offset(row, ofLine * size));
          return next;
        });
      });
    });
    // The rest is computed by the code for more rows.
    Value *done = b.CreateMul(part, e.number(parts));
    b.CreateCall(ofRows, {e.offset(a, b.CreateMul(done, e.number(4))),
                          e.offset(source, b.CreateMul(done, bRow)), sums, f->getArg(3), bRow,
                          f->getArg(5), n, b.CreateSub(k, done), f->getArg(8)});
  });
}

} // namespace mmk
