#include "cpu/constants/skinny.h"

#include "codegen/pack.h"
#include "cpu/tuning.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

/// Rows of sums and of A are padded to this many: the most of a register tile.
constexpr int64_t rowsAtOnce = 8;

/// The product of some rows by one panel.
struct FewRows {
  Emitter &e;
  const PanelLayout &layout;
  Multiply multiply;
  Type *element;
  IRBuilder<> &b = e.b;
  const CpuTuning tuning{e.target};

  Function *sums(int64_t rows, int64_t vectors);
  Value *function(Value *m, Value *vectors);
};

// void(ptr a, ptr panel, ptr sums, ptr offsets, i64 aRow, i64 bStep, i64 sumRow, i64 bytes, i64 m,
// i64 first): rows of A by a panel, over `bytes` bytes of k. Several register tiles alternate, so
// that a piece of the panel is in L1 for all but the first; each prefetches its part of the next
// piece.
Function *FewRows::sums(int64_t rows, int64_t vectors) {
  const std::string name = "constant_" + Emitter::nameOf(element) + "_" + std::to_string(rows) +
                           "x" + std::to_string(vectors);
  return e.helper(name, 4, 6, {}, [&](Function *f) {
    markLazy(*f);
    Value *a = f->getArg(0), *panel = f->getArg(1), *sumsAt = f->getArg(2), *offsets = f->getArg(3),
          *aRow = f->getArg(4), *bStep = f->getArg(5), *sumRow = f->getArg(6),
          *bytes = f->getArg(7), *m = f->getArg(8),
          *isFirstPass = b.CreateICmpNE(f->getArg(9), e.number(0));
    MicroKernel kernel = kernelOfPanels(layout, multiply, element);
    kernel.rows = rows;
    kernel.vectors = vectors;
    const int64_t vectorBytes = e.target.lanes * 4;
    Value *tiles = e.ceilDiv(m, e.number(rows));
    Value *piece = b.CreateSelect(b.CreateICmpSLE(m, e.number(rows)), bytes,
                                  e.number(4 * tuning.constantSteps));
    Value *aheadStep = b.CreateUDiv(bStep, tiles);
    Value *distance = b.CreateMul(bStep, e.number(tuning.constantSteps));
    Value *none = nullptr;
    if (multiply == Multiply::int8Dot4) {
      Type *zeros = ArrayType::get(b.getInt32Ty(), rowsAtOnce);
      none = e.local(zeros);
      e.store(Constant::getNullValue(e.vectorOf(b.getInt32Ty(), rowsAtOnce)), none);
    }
    e.loop(e.number(0), bytes, piece, [&](Value *from) {
      Value *length = e.min(piece, b.CreateSub(bytes, from));
      Value *start = e.offset(panel, b.CreateMul(b.CreateLShr(from, 2), bStep));
      Value *isFirst = b.CreateAnd(isFirstPass, b.CreateICmpEQ(from, e.number(0)));
      Value *ofTile = b.CreateMul(b.CreateLShr(length, 2), aheadStep);
      e.loop(e.number(0), tiles, e.number(1), [&](Value *tile) {
        Value *row = b.CreateMul(tile, e.number(rows));
        Value *at = e.offset(sumsAt, b.CreateMul(row, sumRow));
        Sums initial{at, sumRow, isFirst};
        if (none)
          initial.offsets = b.CreateSelect(b.CreateICmpEQ(from, e.number(0)),
                                           e.offset(offsets, b.CreateMul(row, e.number(4))), none);
        const PanelAhead ahead{e.offset(e.offset(start, distance), b.CreateMul(tile, ofTile)),
                               aheadStep};
        const SmallVector<Value *> sums =
            emitSums(e, kernel, e.offset(a, b.CreateAdd(b.CreateMul(row, aRow), from)), aRow, start,
                     bStep, length, initial, {}, nullptr, ahead);
        for (auto [i, sum] : enumerate(sums)) {
          Value *ofRow = e.offset(at, b.CreateMul(sumRow, e.number(int64_t(i) / vectors)));
          e.store(sum, e.offset(ofRow, int64_t(i) % vectors * vectorBytes));
        }
      });
    });
  });
}

/// The function for so many rows, by the smallest register tile that holds them, or the largest.
Value *FewRows::function(Value *m, Value *vectors) {
  const int64_t most = std::min<int64_t>(rowsAtOnce, e.target.rows());
  auto ofRows = [&](int64_t rows) {
    return ofWidth(e, vectors, [&](int64_t width) { return sums(rows, width); });
  };
  Value *found = ofRows(most);
  for (int64_t rows = most / 2; rows > 0; rows /= 2)
    found = b.CreateSelect(b.CreateICmpSLE(m, e.number(rows)), ofRows(rows), found);
  return found;
}

/// A, as it is multiplied, in rows of `aRow` bytes in its scratch: `depth` of its columns, from
/// `from` on. Zeros fill the last step, and rows up to whole register tiles.
void packFewRows(Emitter &e, const ProductOperands &operands, const PanelLayout &layout,
                 Type *element, Value *aRow, Value *from, Value *depth) {
  IRBuilder<> &b = e.b;
  Value *rows = e.roundUp(operands.m, rowsAtOnce);
  b.CreateMemSet(operands.aScratch, b.getInt8(0), b.CreateMul(rows, aRow), MaybeAlign());
  Type *multiplied = element;
  if (layout.group == 1)
    multiplied = element->isIntegerTy() ? static_cast<Type *>(b.getInt32Ty()) : e.f32();
  const Plane &a = operands.a;
  b.CreateCall(moveElements(e, element, multiplied),
               {operands.aScratch, e.offset(a.pointer, b.CreateMul(from, a.column)), aRow, a.row,
                a.column, operands.m, depth});
}

/// Bytes of so many columns of A as they are multiplied, in whole steps.
Value *bytesOfDepth(Emitter &e, const PanelLayout &layout, Value *depth) {
  return e.b.CreateMul(e.roundUp(depth, layout.group), e.number(4 / layout.group));
}

/// Passes along k begin at multiples, which are whole steps of every layout.
constexpr int64_t depthUnit = 16;

/// Bytes of each row of A in its scratch.
Value *roomOfRow(Emitter &e, const ProductOperands &operands, const ConstantRoom &room) {
  return e.b.CreateUDiv(e.number(room.aBytes), e.roundUp(operands.m, rowsAtOnce));
}

/// The most columns of A whose rows fit the scratch, in equal parts of all.
Value *depthOfPass(Emitter &e, const ProductOperands &operands, const PanelLayout &layout,
                   const ConstantRoom &room) {
  IRBuilder<> &b = e.b;
  const CpuTuning tuning(e.target);
  Value *bytes = b.CreateSub(roomOfRow(e, operands, room), e.number(tuning.rowPadding));
  // An element of a row has 4 / group bytes.
  Value *fits = b.CreateUDiv(b.CreateMul(bytes, e.number(layout.group)), e.number(4));
  Value *most = e.min(e.number(room.step), e.roundDown(fits, depthUnit));
  return e.roundUp(e.ceilDiv(operands.k, e.ceilDiv(operands.k, most)), depthUnit);
}

} // namespace

Value *isConstantSkinny(Emitter &e, const ProductOperands &operands, const ConstantRoom &room) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  if (room.accElements / tuning.constantRows - 64 < static_cast<int64_t>(e.target.lanes))
    return b.getFalse();
  Value *hasRoom =
      b.CreateICmpUGE(roomOfRow(e, operands, room), e.number(4 * depthUnit + tuning.rowPadding));
  return b.CreateAnd(b.CreateICmpSLE(operands.m, e.number(tuning.constantRows)), hasRoom);
}

void emitConstantSkinny(Emitter &e, const ProductOperands &operands, const PanelLayout &layout,
                        Multiply multiply, Type *element, const ConstantRoom &room,
                        function_ref<void(const SumsInMemory &, Value *, Value *)> finish) {
  IRBuilder<> &b = e.b;
  const CpuTuning tuning(e.target);
  FewRows few{e, layout, multiply, element};
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  Value *depthOf = depthOfPass(e, operands, layout, room);
  Value *aRow = b.CreateAdd(bytesOfDepth(e, layout, depthOf), e.number(tuning.rowPadding));
  Value *offsets = e.local(ArrayType::get(b.getInt32Ty(), tuning.constantRows));
  const int64_t mostColumns =
      alignDown(room.accElements / tuning.constantRows - 64, e.target.lanes);
  e.loop(e.number(0), n, e.number(mostColumns), [&](Value *column) {
    Value *end = e.min(b.CreateAdd(column, e.number(mostColumns)), n);
    Value *columns = b.CreateSub(end, column);
    Value *sumRow = e.plus(e.number(tuning.rowPadding), e.roundUp(columns, e.target.lanes), 4);
    e.loop(e.number(0), k, depthOf, [&](Value *from) {
      Value *depth = e.min(depthOf, b.CreateSub(k, from));
      packFewRows(e, operands, layout, element, aRow, from, depth);
      Value *bytes = bytesOfDepth(e, layout, depth);
      if (multiply == Multiply::int8Dot4)
        e.loop(e.number(0), m, e.number(e.target.rows()), [&](Value *row) {
          b.CreateCall(zeroPointCompensation(e),
                       {e.offset(operands.aScratch, b.CreateMul(row, aRow)),
                        e.offset(offsets, b.CreateMul(row, e.number(4))), aRow, bytes});
        });
      forEachConstantRun(e, operands, layout, column, end, from, [&](const ConstantRun &run) {
        Value *width = b.CreateMul(run.panels.vectors, e.number(layout.lanes));
        Value *function = few.function(m, run.panels.vectors);
        Value *panelBytes = b.CreateMul(run.panels.vectors, run.vector);
        e.loop(run.panels.column, run.panels.end, width, {run.start},
               [&](Value *at, ArrayRef<Value *> panel) {
                 Value *sums =
                     e.offset(operands.acc, b.CreateMul(b.CreateSub(at, column), e.number(4)));
                 b.CreateCall(few.sums(1, 1)->getFunctionType(), function,
                              {operands.aScratch, panel[0], sums, offsets, aRow, run.step, sumRow,
                               bytes, m, b.CreateZExt(b.CreateICmpEQ(from, e.number(0)), e.i64())});
                 return SmallVector<Value *>{e.offset(panel[0], panelBytes)};
               });
      });
    });
    finish({operands.acc, sumRow}, column, columns);
  });
}

} // namespace mmk
