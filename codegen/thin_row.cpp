#include "codegen/thin_row.h"

#include "codegen/later.h"
#include "codegen/pack.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr int64_t lineBytes = 64;

/// Bytes of a row by which what is asked for is ahead of what is used.
constexpr int64_t bytesAhead = 2048;

} // namespace

int64_t columnsOfThinBlock(const Emitter &e) {
  return (e.target.masks() ? 2 : 1) * static_cast<int64_t>(e.target.lanes);
}

// Rows that are taken together are far apart, one of each part: row after row each part is one long
// stream, where neighbouring rows would all end, and others begin, at once.
Function *sumsOfThinRow(Emitter &e, Type *element) {
  return e.helper("thin_row_" + Emitter::nameOf(element), 3, 6, {}, [&](Function *f) {
    compileLater(*f);
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *bRow = f->getArg(4),
          *n = f->getArg(6), *k = f->getArg(7);
    const int64_t lanes = e.target.lanes, size = e.bytesOf(element), block = columnsOfThinBlock(e);
    const int64_t ofLine = std::min(lineBytes / size, block);
    Type *vector = e.vectorOf(element, lanes), *wide = e.vectorOf(e.f32(), lanes);
    Value *lastBlock = b.CreateSub(n, e.number(block));
    // From here on, what comes ahead is in the next row.
    Value *turn = e.roundDown(b.CreateSub(n, e.min(n, e.number(bytesAhead / size))), block);
    auto bytes = [&](Value *columns) { return b.CreateMul(columns, e.number(size)); };

    auto addRows = [&](int64_t count, Value *depth, Value *part) {
      SmallVector<Value *> rows, factors;
      for (int64_t i = 0; i < count; ++i) {
        Value *row = b.CreateAdd(depth, b.CreateMul(part, e.number(i)));
        rows.push_back(e.offset(source, b.CreateMul(row, bRow)));
        factors.push_back(
            e.splat(e.load(e.f32(), e.offset(a, b.CreateMul(row, e.number(4)))), lanes));
      }
      e.loop(e.number(0), e.number(2), e.number(1), [&](Value *i) {
        Value *isAfter = b.CreateICmpNE(i, e.number(0));
        Value *from = b.CreateSelect(isAfter, turn, e.number(0)),
              *to = b.CreateSelect(isAfter, n, turn);
        Value *distance = b.CreateSub(b.CreateSelect(isAfter, bRow, bytes(n)), bytes(turn));
        e.loop(from, to, e.number(block), [&](Value *place) {
          // The last columns together with some before them, so that there are as many as always.
          Value *column = bytes(e.min(place, lastBlock));
          Value *sumsAt = e.offset(sums, b.CreateMul(place, e.number(4)));
          for (int64_t line = 0; line < block; line += ofLine) {
            auto sumAt = [&](int64_t v) { return e.offset(sumsAt, (line + v) * 4); };
            SmallVector<Value *> sum;
            for (int64_t v = 0; v < ofLine; v += lanes)
              sum.push_back(e.load(wide, sumAt(v)));
            for (auto [row, factor] : zip(rows, factors))
              for (auto [v, added] : enumerate(sum)) {
                Value *at = e.offset(e.offset(row, column),
                                     (line + static_cast<int64_t>(v) * lanes) * size);
                // Not into the nearest cache, where lines of so many rows would be in each other's
                // way. Vectors of two bytes an element ask twice for a line: what is asked for when
                // too much is under way is forgotten.
                e.prefetch(e.offset(at, distance), 2);
                added = emitMultiply(e, Multiply::f32, factor,
                                     e.convert(e.load(vector, at), e.f32()), added);
              }
            for (auto [v, added] : enumerate(sum))
              e.store(added, sumAt(static_cast<int64_t>(v) * lanes));
          }
        });
      });
    };
    Value *part = b.CreateUDiv(k, e.number(partsOfThinRow));
    e.loop(e.number(0), part, e.number(1),
           [&](Value *depth) { addRows(partsOfThinRow, depth, part); });
  });
}

} // namespace mmk
