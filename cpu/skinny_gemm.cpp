#include "cpu/skinny_gemm.h"

#include "cpu/skinny_floats.h"
#include "cpu/skinny_int8.h"

using namespace llvm;

namespace mmk {
namespace {

// Transposes sums of n rows and m columns to m rows and n columns, in memory that may hold other
// sums.
SumsInMemory transposeAccumulators(Emitter &e, const SumsInMemory &sums,
                                   const ProductOperands &operands, int64_t accElements) {
  IRBuilder<> &b = e.b;
  Value *row = b.CreateMul(e.roundUp(operands.n, e.target.lanes), e.number(4));
  Value *bytes = b.CreateMul(operands.m, row);
  Value *end = e.offset(operands.acc, e.number(accElements * 4));
  SumsInMemory transposed{e.offset(end, b.CreateNeg(bytes)), row};
  Type *type = b.getInt32Ty();
  e.loop(e.number(0), operands.m, e.number(1), [&](Value *m) {
    e.loop(e.number(0), operands.n, e.number(1), [&](Value *n) {
      Value *from = e.offset(sums.pointer, e.plus(b.CreateMul(n, sums.row), m, 4));
      e.store(e.load(type, from), e.offset(transposed.pointer, e.plus(b.CreateMul(m, row), n, 4)));
    });
  });
  return transposed;
}

} // namespace

Value *emitSkinnyGemm(Emitter &e, const ProductOperands &operands, Type *element,
                      const SkinnyRoom &room, Value *areTail,
                      function_ref<void(const SumsInMemory &)> finish) {
  IRBuilder<> &b = e.b;
  Value *isB = b.CreateICmpSLT(operands.m, operands.n);
  auto choose = [&](Value *ofA, Value *ofB) { return b.CreateSelect(isB, ofB, ofA); };
  const Plane &planeA = operands.a, &planeB = operands.b;
  // Rows along k.
  const Plane longer{choose(planeA.pointer, planeB.pointer), choose(planeA.column, planeB.row),
                     choose(planeA.row, planeB.column)};
  const Plane shorter{choose(planeB.pointer, planeA.pointer), choose(planeB.row, planeA.column),
                      choose(planeB.column, planeA.row)};
  ProductOperands ofDots = operands, ofRows = operands;
  ofDots.a = {longer.pointer, longer.column, longer.row};
  ofDots.b = shorter;
  ofDots.m = ofRows.n = choose(operands.m, operands.n);
  ofDots.n = ofRows.m = choose(operands.n, operands.m);
  ofRows.a = {shorter.pointer, shorter.column, shorter.row};
  ofRows.b = longer;

  const bool bytes = element->isIntegerTy();
  Value *byDotProducts = b.CreateOr(
      areTail, useDotProducts(e, ofDots, element, isB, room.bElements, room.accElements));
  Value *isSkinny =
      b.CreateOr(byDotProducts, bytes ? isSkinnyInt8(e, ofRows, room.step, room.accElements)
                                      : isSkinnyFloats(e, ofRows, element, room.accElements));
  e.when(isSkinny, [&] {
    auto inMemory = [](const SumsInMemory &sums) {
      return SmallVector<Value *>{sums.pointer, sums.row};
    };
    SmallVector<Value *> sums = e.eitherOf(
        byDotProducts, [&] { return inMemory(emitDots(e, ofDots, element)); },
        [&] {
          return inMemory(bytes ? emitSkinnyInt8(e, ofRows, room.step)
                                : emitSkinnyFloats(e, ofRows, element, room.step));
        });
    sums = e.eitherOf(
        b.CreateICmpEQ(byDotProducts, isB),
        [&] {
          return inMemory(transposeAccumulators(e, {sums[0], sums[1]}, operands, room.accElements));
        },
        [&] { return sums; });
    finish({sums[0], sums[1]});
  });
  return isSkinny;
}

} // namespace mmk
