// The panels of A are multiplied by those of B, which are packed as for any product. One of the two
// is read by vectors, the other by broadcasts of a few of its columns: steps of all its columns are
// side by side.
//
// Along n: tiles of a few rows by vectors of columns, stored from registers. Along m: tiles of a
// few columns by vectors of rows, whose sums are transposed in L1. An image of 49 pixels is 7 tiles
// of 7 pixels, but 4 vectors of 16.
#include "cpu/constants/left.h"

#include "codegen/element_pairs.h"
#include "codegen/pack.h"
#include "cpu/blocks.h"
#include "cpu/denormal.h"
#include "cpu/frame.h"
#include "cpu/windows/operand.h"
#include "jit/lazy.h"

#include <tuple>

using namespace llvm;

namespace mmk {

// Whole register tiles along one, and whole vectors along the other.
Value *areTransposed(Emitter &e, Value *m, Value *n, Value *steps, int64_t height) {
  IRBuilder<> &b = e.b;
  const int64_t lanes = e.target.lanes;
  const CpuTuning tuning(e.target);
  auto vectors = [&](Value *x) { return b.CreateUDiv(e.roundUp(x, lanes), e.number(lanes)); };
  Value *alongN = b.CreateMul(b.CreateMul(e.roundUp(m, height), vectors(n)), steps);
  Value *alongM =
      b.CreateMul(b.CreateMul(n, vectors(m)), b.CreateAdd(steps, e.number(tuning.transposedSteps)));
  return b.CreateICmpULT(alongM, alongN);
}

namespace {

/// What all tiles of a pass along k share, as eight-byte fields in the frame of their caller.
enum LeftField : int64_t {
  leftContext,  ///< of the epilogue
  leftColumns,  ///< of the product
  leftBytes,    ///< of a column along k
  leftIsFirst,  ///< whether the sums begin with this pass
  leftIsLast,   ///< whether they end with this pass
  leftAhead,    ///< whether the lines of the result are prefetched
  leftTileSums, ///< from row to row of a tile's sums, for each vector of a panel, or 0
  leftFields
};

/// A panel of either operand.
struct LeftPanel {
  Value *start, *step;  ///< bytes from step to step along k
  Value *vectors;       ///< of its columns
  Value *first, *count; ///< of the rows or columns of the product
};

class LeftProduct {
public:
  LeftProduct(Emitter &e, cpu::ProductOp op, Type *element, Multiply multiply,
              const PanelLayout &layout, std::string name)
      : e(e), b(e.b), op(op), tuning(e.target), element(element), multiply(multiply),
        layout(layout), name(std::move(name)), lanes(e.target.lanes), height(e.target.rows()),
        epilogue(e, op.getBody().front(), e.f32(), op.getInputs(), op.getInputAlong(),
                 op.getOutputs()) {}

  Function *call(const ProductOperands &operands);
  bool complete() const { return epilogue.complete; }

private:
  Function *rowsByVectors(int64_t vectors);
  Function *columnsByVectors(int64_t vectors, int64_t columns);
  Function *transposedStore();
  void transpose(SmallVectorImpl<Value *> &rows);
  Function *finish() { return epilogue.finish(name + "_finish"); }
  void emitBlocks(const ProductOperands &operands);
  void packB(const ProductOperands &operands, Value *from, Value *depth, Value *column,
             Value *columns, Value *bytes);
  void forEachPanelOfA(const ProductOperands &operands, Value *row, Value *end, Value *from,
                       Value *depth, function_ref<void(const LeftPanel &)> body);
  void multiplyAlongN(const Frame &frame, const LeftPanel &a, const LeftPanel &b, Value *acc);
  void multiplyAlongM(const Frame &frame, const LeftPanel &a, const LeftPanel &b, Value *acc);
  /// Whether panels of A are multiplied as they are: all but those of bf16 by f32.
  bool readsPanels() const { return layout.group == elementsOfStep(multiply); }
  int64_t widest() const { return readsPanels() ? CodeTarget::vectors : 1; }
  Emitter &e;
  IRBuilder<> &b;
  cpu::ProductOp op;
  const CpuTuning tuning;
  Type *element;
  Multiply multiply;
  const PanelLayout &layout;
  const std::string name;
  const int64_t lanes, height;
  Epilogue epilogue;
};

// void(ptr a, ptr b, ptr acc, ptr frame, i64 aStep, i64 bStep, i64 row, i64 count, i64 column):
// `count` rows, from `row` on, by a panel of columns, from `column` on.
Function *LeftProduct::rowsByVectors(int64_t vectors) {
  Function *finish = this->finish();
  return e.helper(name + "_rows_" + std::to_string(vectors), 4, 5, {}, [&](Function *f) {
    markLazy(*f);
    Value *a = f->getArg(0), *panel = f->getArg(1), *acc = f->getArg(2), *aStep = f->getArg(4),
          *bStep = f->getArg(5), *firstRow = f->getArg(6), *count = f->getArg(7),
          *column = f->getArg(8);
    const int64_t width = vectors * lanes;
    const Frame frame(e, f->getArg(3));
    Value *context = frame.pointer(leftContext), *bytes = frame.number(leftBytes);
    Value *columns = b.CreateSub(frame.number(leftColumns), column);
    Value *first = frame.isSet(leftIsFirst), *last = frame.isSet(leftIsLast),
          *ahead = frame.isSet(leftAhead);
    Value *accRow = b.CreateMul(frame.number(leftTileSums), e.number(vectors));
    Value *fits = e.target.masks() ? b.getTrue() : b.CreateICmpSGE(columns, e.number(width));
    Value *stores = b.CreateAnd({last, epilogue.isDense(context), fits});
    MicroKernel kernel{multiply, vectors, height};
    kernel.stepOfA = aStep;
    e.loop(e.number(0), count, e.number(height), [&](Value *at) {
      Value *row = b.CreateAdd(firstRow, at), *rows = b.CreateSub(count, at);
      Value *sumsAt = e.offset(acc, b.CreateMul(at, accRow));
      e.when(ahead, [&] { epilogue.prefetchOutput(height, vectors, context, row, column); });
      const SmallVector<Value *> sums =
          emitSums(e, kernel, e.offset(a, b.CreateMul(at, e.number(4))), e.number(4), panel, bStep,
                   bytes, {sumsAt, e.number(width * 4), first});
      auto throughMemory = [&] {
        for (auto [i, sum] : enumerate(sums))
          e.store(sum, e.offset(sumsAt, i * lanes * 4));
        e.when(last, [&] {
          b.CreateCall(finish, {sumsAt, context, e.number(width * 4), row, column,
                                e.min(rows, e.number(height)), e.min(columns, e.number(width))});
        });
      };
      if (!epilogue.isLight() || !readsPanels())
        return throughMemory();
      Value *inRegisters = b.CreateAnd(stores, b.CreateICmpSGE(rows, e.number(height)));
      e.when(inRegisters, [&] { epilogue.store(sums, vectors, context, row, column, columns); });
      e.when(b.CreateNot(inRegisters), throughMemory);
    });
  });
}

// void(ptr b, ptr a, ptr acc, ptr frame, i64 bStep, i64 aStep, i64 count): tiles of some columns,
// `count` in all, by a panel of rows.
Function *LeftProduct::columnsByVectors(int64_t vectors, int64_t columns) {
  const std::string size = std::to_string(columns) + "x" + std::to_string(vectors);
  return e.helper(name + "_columns_" + size, 4, 3, {}, [&](Function *f) {
    markLazy(*f);
    Value *panel = f->getArg(0), *a = f->getArg(1), *acc = f->getArg(2);
    const int64_t width = vectors * lanes;
    const Frame frame(e, f->getArg(3));
    Value *bytes = frame.number(leftBytes), *first = frame.isSet(leftIsFirst);
    MicroKernel kernel{multiply, vectors, columns};
    kernel.stepOfA = f->getArg(4);
    e.loop(e.number(0), f->getArg(6), e.number(columns), [&](Value *at) {
      Value *sumsAt = e.offset(acc, b.CreateMul(at, e.number(width * 4)));
      const SmallVector<Value *> sums =
          emitSums(e, kernel, e.offset(panel, b.CreateMul(at, e.number(4))), e.number(4), a,
                   f->getArg(5), bytes, {sumsAt, e.number(width * 4), first});
      for (auto [i, sum] : enumerate(sums))
        e.store(sum, e.offset(sumsAt, i * lanes * 4));
    });
  });
}

// Each stage exchanges a bit of the number of a row with that bit of the number of a lane.
void LeftProduct::transpose(SmallVectorImpl<Value *> &rows) {
  for (int64_t bit = 1; bit < lanes; bit *= 2)
    for (int64_t i = 0; i < lanes; ++i)
      if (!(i & bit))
        std::tie(rows[i], rows[i | bit]) = exchanged(e, rows[i], rows[i | bit], bit);
}

// void(ptr acc, ptr context, i64 vectors, i64 row, i64 column, i64 rows, i64 columns): the epilogue
// of sums of `columns` rows of so many vectors. Reads them up to whole vectors of columns.
Function *LeftProduct::transposedStore() {
  return e.helper(name + "_transposed", 2, 5, {}, [&](Function *f) {
    markLazy(*f);
    Value *acc = f->getArg(0), *context = f->getArg(1), *row = f->getArg(3), *column = f->getArg(4),
          *rows = f->getArg(5), *columns = f->getArg(6);
    const int64_t width = CodeTarget::vectors * lanes;
    Value *sumRow = b.CreateMul(f->getArg(2), e.number(lanes * 4));
    Type *vector = e.vectorOf(e.f32(), lanes);
    Value *transposed = e.local(ArrayType::get(e.f32(), width * width));
    auto at = [&](Value *base, Value *rowBytes, Value *row, Value *column) {
      return e.offset(base, b.CreateAdd(b.CreateMul(row, rowBytes), b.CreateShl(column, 2)));
    };
    Value *toRow = e.number(width * 4);
    e.loop(e.number(0), rows, e.number(lanes), [&](Value *r) {
      e.loop(e.number(0), columns, e.number(lanes), [&](Value *c) {
        SmallVector<Value *> block;
        for (int64_t i = 0; i < lanes; ++i)
          block.push_back(e.load(vector, at(acc, sumRow, b.CreateAdd(c, e.number(i)), r)));
        transpose(block);
        for (int64_t i = 0; i < lanes; ++i)
          e.store(block[i], at(transposed, toRow, b.CreateAdd(r, e.number(i)), c));
      });
    });
    b.CreateCall(finish(), {transposed, context, toRow, row, column, rows, columns});
  });
}

void LeftProduct::multiplyAlongN(const Frame &frame, const LeftPanel &a, const LeftPanel &panel,
                                 Value *acc) {
  Value *function =
      ofWidth(e, panel.vectors, [&](int64_t vectors) { return rowsByVectors(vectors); });
  b.CreateCall(rowsByVectors(1)->getFunctionType(), function,
               {a.start, panel.start, acc, frame.address(), a.step, panel.step, a.first, a.count,
                panel.first});
}

// Equal tiles, as few as there can be.
void LeftProduct::multiplyAlongM(const Frame &frame, const LeftPanel &a, const LeftPanel &panel,
                                 Value *acc) {
  Value *tiles = e.ceilDiv(panel.count, e.number(height)), *columns = e.ceilDiv(panel.count, tiles);
  Value *function = nullptr;
  for (int64_t each = height; each >= std::max<int64_t>(1, height / 2); --each) {
    Value *ofEach = ofWidth(e, a.vectors, [&](int64_t vectors) {
      return columnsByVectors(std::min(vectors, widest()), each);
    });
    function = function ? b.CreateSelect(b.CreateICmpSLE(columns, e.number(each)), ofEach, function)
                        : ofEach;
  }
  b.CreateCall(columnsByVectors(1, height)->getFunctionType(), function,
               {panel.start, a.start, acc, frame.address(), panel.step, a.step, panel.count});
  e.when(frame.isSet(leftIsLast), [&] {
    b.CreateCall(transposedStore(), {acc, frame.pointer(leftContext), a.vectors, a.first,
                                     panel.first, a.count, panel.count});
  });
}

void LeftProduct::packB(const ProductOperands &operands, Value *from, Value *depth, Value *column,
                        Value *columns, Value *bytes) {
  if (op.isWindowOfB())
    return packWindow(e, op, multiply, name, operands.bScratch, operands.window,
                      {from, depth, column, columns, bytes});
  const Plane &plane = operands.b;
  Value *source = e.offset(
      plane.pointer, b.CreateAdd(b.CreateMul(from, plane.row), b.CreateMul(column, plane.column)));
  b.CreateCall(packPanels(e, multiply, element),
               {operands.bScratch, source, plane.row, plane.column, bytes, depth, columns});
}

// Pairs of bf16 to be multiplied as f32 are widened, a vector of rows at a time.
void LeftProduct::forEachPanelOfA(const ProductOperands &operands, Value *row, Value *end,
                                  Value *from, Value *depth,
                                  function_ref<void(const LeftPanel &)> body) {
  forEachConstantRun(e, operands, layout, row, end, from, [&](const ConstantRun &run) {
    Value *vectors = readsPanels() ? run.panels.vectors : e.number(1);
    Value *width = b.CreateMul(vectors, e.number(lanes));
    e.loop(run.panels.column, run.panels.end, width, [&](Value *first) {
      Value *before = b.CreateUDiv(b.CreateSub(first, run.panels.column), e.number(lanes));
      Value *count = e.min(width, b.CreateSub(end, first));
      if (readsPanels())
        return body({e.offset(run.start, b.CreateMul(before, run.vector)), run.step, vectors, first,
                     count});
      Value *inPanel = b.CreateURem(before, run.panels.vectors);
      Value *panel = b.CreateMul(b.CreateSub(before, inPanel), run.vector);
      Value *start =
          e.offset(e.offset(run.start, panel), b.CreateMul(inPanel, e.number(layout.stepBytes())));
      b.CreateCall(widenPanels(e), {operands.aScratch, start, run.step, run.vector, e.number(0),
                                    vectors, e.number(1), depth});
      body({operands.aScratch, e.number(lanes * 4), vectors, first, count});
    });
  });
}

// A block of B, resident in L2, while panels of A stream past it. Each is in L2, too, for all
// panels of the block.
void LeftProduct::emitBlocks(const ProductOperands &operands) {
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t step = op.getStep(), depthUnit = std::min<int64_t>(step & -step, 16);
  const auto elementsOf = [](mlir::Value scratch) {
    return cast<mlir::MemRefType>(scratch.getType()).getNumElements();
  };
  const int64_t blockBytes = std::min(4 * elementsOf(op.getBScratch()), tuning.blockBytes());
  BlockChooser chooser(e, multiply, depthUnit, lanes, /*rowsCanStay=*/true);
  const Blocks blocks =
      chooser.choose({m, n, k, /*aInPlace=*/b.getTrue(), /*bInPlace=*/b.getFalse()},
                     {e.number(std::min(step, chooser.depthOf(blockBytes))), e.number(blockBytes),
                      e.number(elementsOf(op.getAcc())), e.number(0)});
  const Frame frame(e, leftFields);
  frame.set(leftContext, operands.context);
  frame.set(leftColumns, n);
  Value *steps = e.ceilDiv(k, e.number(layout.group));
  Value *alongM = areTransposed(e, m, n, steps, height);
  // Sums of a single pass share one buffer, which is resident in L1.
  Value *waits = b.CreateICmpSLT(blocks.depth, k);
  Value *vectorBytes = e.number(lanes * 4);
  auto ofWaiting = [&](Value *bytes) { return b.CreateSelect(waits, bytes, e.number(0)); };
  frame.set(leftTileSums, ofWaiting(vectorBytes));
  Value *resultBytes = b.CreateMul(b.CreateMul(m, n), e.number(4));
  Value *isFar = b.CreateICmpSGT(resultBytes, e.number(tuning.outputBytesInL1()));
  forEachPass(e, blocks, m, n, k, [&](const BlockPass &pass) {
    const auto [column, columns, row, rowEnd, from, depth, isFirst, isLast] = pass;
    Value *bytes = chooser.bytesAlong(depth);
    frame.set(leftIsFirst, isFirst);
    frame.set(leftIsLast, isLast);
    frame.set(leftAhead, b.CreateAnd(isLast, isFar));
    frame.set(leftBytes, bytes);
    packB(operands, from, depth, column, columns, bytes);
    forEachPanelOfA(operands, row, rowEnd, from, depth, [&](const LeftPanel &a) {
      forEachPanel(e, columns, [&](Value *vectors, Value *inBlock) {
        Value *width = b.CreateMul(vectors, e.number(lanes));
        const LeftPanel panel{e.offset(operands.bScratch, b.CreateMul(inBlock, bytes)),
                              b.CreateMul(vectors, vectorBytes), vectors,
                              b.CreateAdd(column, inBlock),
                              e.min(width, b.CreateSub(columns, inBlock))};
        // Rows of the sums of a panel, by those of a register tile; up to whole vectors.
        Value *rowInBlock = b.CreateSub(a.first, row);
        Value *whole = e.roundUp(b.CreateSub(rowEnd, row), lanes);
        Value *alongNAt = b.CreateAdd(b.CreateMul(inBlock, whole), b.CreateMul(rowInBlock, width));
        Value *alongMAt =
            b.CreateAdd(b.CreateMul(rowInBlock, e.roundUp(columns, lanes)),
                        b.CreateMul(inBlock, b.CreateMul(a.vectors, e.number(lanes))));
        auto acc = [&](Value *element) {
          return e.offset(operands.acc, b.CreateMul(ofWaiting(element), e.number(4)));
        };
        e.when(alongM, [&] { multiplyAlongM(frame, a, panel, acc(alongMAt)); });
        e.when(b.CreateNot(alongM), [&] { multiplyAlongN(frame, a, panel, acc(alongNAt)); });
      });
    });
  });
}

Function *LeftProduct::call(const ProductOperands &operands) {
  Function *blocks = e.helper(name + "_blocks", 1, 0, {}, [&](Function *f) {
    e.finishCold(f);
    emitBlocks(operands.in(e, f->getArg(0)));
  });
  b.CreateCall(blocks, {operands.frame});
  return blocks;
}

/// i1: as isDenormalFree.
Value *isNormalWithConstant(Emitter &e, cpu::ProductOp op, const ProductOperands &operands) {
  Value *ofB = op.isWindowOfB()
                   ? WindowOperand(e, op).leastExponent(operands.window, operands.k, operands.n)
                   : leastExponent(e, operands.b, operands.k, operands.n);
  return areDenormalFree(e, e.load(e.i64(), operands.constant.prefix), ofB);
}

} // namespace

bool emitConstantLeft(Emitter &e, cpu::ProductOp op, const ProductOperands &operands) {
  mlir::Type type = cast<mlir::MemRefType>(op.getA().getType()).getElementType();
  Type *element = e.elementType(type);
  const PanelLayout layout = panelLayoutOf(e.target, type);
  const std::string name = "left_" + std::to_string(e.module.size());
  const Multiply multiply = multiplyOf(e.target, element);
  LeftProduct product(e, op, element, multiply, layout, name);
  if (!isBf16(multiply)) {
    product.call(operands);
    return product.complete();
  }
  LeftProduct wide(e, op, element, Multiply::f32, layout, name + "_wide");
  Value *normal = isNormalWithConstant(e, op, operands);
  e.when(normal, [&] { product.call(operands); });
  e.when(e.b.CreateNot(normal), [&] { markLazy(*wide.call(operands)); });
  return product.complete() && wide.complete();
}

} // namespace mmk
