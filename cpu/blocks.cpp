#include "cpu/blocks.h"

using namespace llvm;

namespace mmk {

void forEachPass(Emitter &e, const Blocks &blocks, Value *m, Value *n, Value *k,
                 function_ref<void(const BlockPass &)> body) {
  IRBuilder<> &b = e.b;
  e.loop(e.number(0), n, blocks.columns, [&](Value *column) {
    Value *columns = e.min(blocks.columns, b.CreateSub(n, column));
    e.loop(e.number(0), m, blocks.rows, [&](Value *row) {
      Value *rowEnd = e.min(b.CreateAdd(row, blocks.rows), m);
      e.loop(e.number(0), k, blocks.depth, [&](Value *from) {
        Value *depth = e.min(blocks.depth, b.CreateSub(k, from));
        body({column, columns, row, rowEnd, from, depth, b.CreateICmpEQ(from, e.number(0)),
              b.CreateICmpEQ(b.CreateAdd(from, depth), k)});
      });
    });
  });
}

int64_t BlockChooser::depthOf(int64_t blockBytes) {
  const int64_t columns =
      (rowsCanStay ? 1 : tuning.panelsByPackedRows) * CodeTarget::vectors * int64_t(e.target.lanes);
  const int64_t narrow = alignDown(blockBytes * elementsOfStep(multiply) / (4 * columns),
                                   std::max<int64_t>(depthUnit, 16));
  return std::max<int64_t>(narrow, depthUnit);
}

Value *BlockChooser::bytesAlong(Value *depth) {
  return b.CreateMul(e.roundUp(depth, elementsAtOnce(multiply)),
                     e.number(4 / elementsOfStep(multiply)));
}

/// The length of the fewest equal parts of at most a given length. A function, as its divisions are
/// much code.
Value *BlockChooser::equalPart(Value *whole, Value *most) {
  Function *divide = e.helper("equal_part", 1, 2, {}, [&](Function *f) {
    e.finishCold(f);
    Value *whole = f->getArg(1), *parts = e.ceilDiv(whole, f->getArg(2));
    e.store(e.ceilDiv(whole, parts), f->getArg(0));
  });
  Value *part = e.local(e.i64());
  b.CreateCall(divide, {part, whole, most});
  return e.load(e.i64(), part);
}

// For small M, streaming an A in place once more takes less time than a round trip of the block to
// L3.
BlockLimits BlockChooser::ofRows(const BlockedProduct &product, BlockLimits limits) {
  const int64_t ofL2 = tuning.l2BlockBytes();
  Value *areFew =
      b.CreateAnd(product.aInPlace, b.CreateICmpSLT(product.m, e.number(tuning.rowsByL3Block)));
  auto limit = [&](Value *&most, Value *ofFew) {
    most = b.CreateSelect(areFew, e.min(most, ofFew), most);
  };
  limit(limits.depth,
        b.CreateSelect(product.bInPlace, e.number(depthOf(ofL2)), e.number(tuning.depthByFewRows)));
  if (ofL2 != tuning.blockBytes())
    limit(limits.blockBytes, e.number(ofL2));
  return limits;
}

// KC is as large as the block allows at a width of few panels: accumulators that stay in registers
// over the whole depth are stored once. Then NC is as large as possible, so that A is streamed few
// times.
Blocks BlockChooser::choose(const BlockedProduct &product, BlockLimits limits) {
  limits = ofRows(product, limits);
  Value *m = product.m, *n = product.n, *k = product.k;
  const int64_t lanes = e.target.lanes, width = CodeTarget::vectors * lanes;
  Value *wide = e.roundUp(n, lanes), *deep = e.roundUp(k, depthUnit);
  auto whole = [&](Value *x, int64_t unit) {
    return b.CreateMul(b.CreateUDiv(x, e.number(unit)), e.number(unit));
  };
  auto cut = [&] {
    Value *depth = e.roundUp(equalPart(k, limits.depth), depthUnit);
    Value *isOnePass = b.CreateICmpSLE(k, depth);
    Value *room = b.CreateUDiv(limits.blockBytes, bytesAlong(depth));
    Value *most = b.CreateSelect(b.CreateICmpSGE(room, e.number(width)), whole(room, width),
                                 whole(room, lanes));
    most = b.CreateSelect(product.bInPlace, wide, most);
    most = b.CreateSelect(isOnePass, most, e.min(most, e.number(tuning.columnsOfWaitingSums)));
    Value *columns = whole(b.CreateAdd(equalPart(n, most), e.number(width - 1)), width);
    columns = e.min(e.min(columns, most), wide);
    // Partial sums between two passes need room.
    Value *waiting = e.roundDown(b.CreateUDiv(limits.accElements, columns), height);
    Value *rows = b.CreateSelect(isOnePass, m, e.roundUp(equalPart(m, waiting), height));
    return SmallVector<Value *>{depth, rows, columns};
  };
  Value *isOne =
      b.CreateAnd(b.CreateICmpSLE(k, limits.depth),
                  b.CreateICmpSLE(b.CreateMul(wide, bytesAlong(deep)), limits.blockBytes));
  // A product of one block is often so small that a few divisions would be measurable.
  SmallVector<Value *> blocks =
      e.eitherOf(isOne, [&] { return SmallVector<Value *>{deep, m, wide}; }, cut);
  return {blocks[0], blocks[1], blocks[2]};
}

} // namespace mmk
