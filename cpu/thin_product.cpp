#include "cpu/thin_product.h"

#include "cpu/thin_bytes.h"
#include "cpu/thin_floats.h"

using namespace llvm;

namespace mmk {
namespace {

// Sums of n rows and m columns to m rows and n columns, where other sums may have been.
SumsInMemory turnSums(Emitter &e, const SumsInMemory &sums, const ProductOperands &operands,
                      int64_t accElements) {
  IRBuilder<> &b = e.b;
  Value *row = b.CreateMul(e.roundUp(operands.n, e.target.lanes), e.number(4));
  Value *bytes = b.CreateMul(operands.m, row);
  Value *end = e.offset(operands.acc, e.number(accElements * 4));
  SumsInMemory turned{e.offset(end, b.CreateNeg(bytes)), row};
  Type *type = b.getInt32Ty();
  e.loop(e.number(0), operands.m, e.number(1), [&](Value *m) {
    e.loop(e.number(0), operands.n, e.number(1), [&](Value *n) {
      Value *from = e.offset(sums.pointer, e.plus(b.CreateMul(n, sums.row), m, 4));
      e.store(e.load(type, from), e.offset(turned.pointer, e.plus(b.CreateMul(m, row), n, 4)));
    });
  });
  return turned;
}

} // namespace

Value *emitThinProduct(Emitter &e, const ProductOperands &operands, Type *element,
                       const ThinRoom &room, Value *areLast,
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
  Value *byDots =
      b.CreateOr(areLast, areDots(e, ofDots, element, isB, room.bElements, room.accElements));
  Value *isThin = b.CreateOr(byDots, bytes ? isThinBytes(e, ofRows, room.step, room.accElements)
                                           : isThinFloats(e, ofRows, element, room.accElements));
  e.when(isThin, [&] {
    auto inMemory = [](const SumsInMemory &sums) {
      return SmallVector<Value *>{sums.pointer, sums.row};
    };
    SmallVector<Value *> sums = e.eitherOf(
        byDots, [&] { return inMemory(emitDots(e, ofDots, element)); },
        [&] {
          return inMemory(bytes ? emitThinBytes(e, ofRows, room.step)
                                : emitThinFloats(e, ofRows, element, room.step));
        });
    sums = e.eitherOf(
        b.CreateICmpEQ(byDots, isB),
        [&] { return inMemory(turnSums(e, {sums[0], sums[1]}, operands, room.accElements)); },
        [&] { return sums; });
    finish({sums[0], sums[1]});
  });
  return isThin;
}

} // namespace mmk
