// A tile of a product on the CPU. It does not use emulated memories: every element of an operand
// would be copied twice and every sum three times, which takes more time than a good library loses
// to the peak of the arithmetic units.
#include "cpu/product.h"

#include "codegen/pack.h"
#include "cpu/batch_prefetcher.h"
#include "cpu/blocks.h"
#include "cpu/constants/left.h"
#include "cpu/constants/skinny.h"
#include "cpu/denormal.h"
#include "cpu/frame.h"
#include "cpu/skinny_floats.h"
#include "cpu/skinny_gemm.h"
#include "cpu/tiles.h"
#include "cpu/tuning.h"
#include "cpu/windows/operand.h"
#include "jit/lazy.h"
#include "runtime/abi.h"

#include <cstddef>

using namespace llvm;

namespace mmk {

SmallVector<Value **, 16> ProductOperands::shared() {
  SmallVector<Value **, 16> all = {&a.pointer, &a.row, &a.column, &b.pointer, &b.row, &b.column, &m,
                                   &n,         &k,     &aScratch, &bScratch,  &acc,   &context};
  if (hasNext())
    all.append({&aAhead, &bAhead});
  if (window)
    all.push_back(&window);
  if (constant.prefix)
    all.append({&constant.prefix, &constant.panels, &constant.column, &constant.columns});
  return all;
}

ProductOperands ProductOperands::in(Emitter &e, Value *frame) const {
  ProductOperands inside = *this;
  inside.frame = frame;
  Frame(e, frame).load(inside.shared());
  return inside;
}

Multiply multiplyOf(const CodeTarget &target, Type *element) {
  if (element->isFloatingPointTy())
    return element->isBFloatTy() && target.usesBf16Dot ? Multiply::bf16Dot2 : Multiply::f32;
  return target.hasVnni ? Multiply::int8Dot4 : Multiply::i32;
}

namespace {

/// The shared data of a product's functions, as eight-byte fields in the frame of their caller.
enum Field : int64_t {
  fieldContext,   ///< of the epilogue
  fieldARow,      ///< from row to row of A
  fieldBStep,     ///< from one step along k to the next of B
  fieldBPanel,    ///< from panel to panel, for each vector of their width
  fieldBytes,     ///< of whole steps of A along k
  fieldRest,      ///< of a last one with fewer than four, or 0; of groups only
  fieldDepth,     ///< elements of A along k, of groups only
  fieldRows,      ///< of the tile
  fieldLastStart, ///< of the last register tile, moved back so that no row of A is beyond the last
                  ///< one
  fieldColumns,   ///< of the tile
  fieldAccRow,    ///< from row to row of partial sums, for each vector of a panel
  fieldAccPanel,  ///< from panel to panel of them, the same
  fieldIsFirst,   ///< whether the sums begin with this pass
  fieldIsLast,    ///< whether they end with this pass
  fieldPrefetchesOutput, ///< whether the lines of the result are prefetched
  fieldNext,             ///< fields of BatchPrefetcher
  fieldCount = fieldNext + int64_t(BatchPrefetcher::fields)
};

/// How packed blocks are multiplied: in tile registers where sums and passes are whole tiles.
Multiply multiplyOfBlocks(const CodeTarget &target, Type *element, cpu::ProductOp op) {
  const Multiply tiles = element->isBFloatTy() ? Multiply::amxBf16 : Multiply::amxInt8;
  const bool fit = cast<mlir::MemRefType>(op.getAcc().getType()).getDimSize(0) >= rowsInTiles &&
                   op.getStep() % elementsAtOnce(tiles) == 0;
  const bool have = target.usesAmx() && (element->isBFloatTy() || element->isIntegerTy(8));
  return have && fit ? tiles : multiplyOf(target, element);
}

class ProductEmitter {
public:
  /// `constant`: the layout of B where it is a constant.
  ProductEmitter(Emitter &e, cpu::ProductOp op, Type *element, Multiply multiply,
                 const std::string &name, bool hasNext, std::optional<PanelLayout> constant)
      : e(e), b(e.b), op(op), tuning(e.target), element(element), multiply(multiply),
        step(op.getStep()), height(usesAmx(multiply) ? rowsInTiles : e.target.rows()),
        accElements(cast<mlir::MemRefType>(op.getAcc().getType()).getNumElements()), name(name),
        hasNext(hasNext), constant(constant),
        epilogue(e, op.getBody().front(), MicroKernel{multiply, 1}.sumType(e)->getScalarType(),
                 op.getInputs(), op.getInputAlong(), op.getOutputs()) {
    roomOfA = cast<mlir::MemRefType>(op.getAScratch().getType()).getNumElements();
    packedBytes = std::min(4 * roomOfA, tuning.packedRowsBytes());
    bElements = cast<mlir::MemRefType>(op.getBScratch().getType()).getNumElements();
    blockBytes = std::min(4 * bElements, tuning.blockBytes());
    // A dot product of bytes multiplies four of them in place of one element.
    depthUnit = usesAmx(multiply) ? elementsAtOnce(multiply) : std::min<int64_t>(step & -step, 16);
    mostDepth = std::min(step, blockChooser().depthOf(blockBytes));
  }

  /// By one multiplication, or by either of two where `wide` is given, for products that the first
  /// cannot compute.
  bool emit(const ProductOperands &operands, ProductEmitter *wide);

private:
  /// With a constant B.
  bool emitConstant(const ProductOperands &operands, ProductEmitter *wide);
  void callConstantSkinny(const ProductOperands &operands);
  void widenBlock(const ProductOperands &operands, Value *column, Value *columns, Value *from,
                  Value *depth, Value *bytes);
  Value *callSkinny(const ProductOperands &operands, Value *columns);
  Function *callBlocks(const ProductOperands &operands, Value *bInPlace);
  void emitBlocks(const ProductOperands &operands, const BlockLimits &limits, Value *bInPlace);
  BlockChooser blockChooser() { return {e, multiply, depthUnit, height, rowsCanStay()}; }
  Function *sumsOf(int64_t vectors, int64_t height);
  /// Whether register tiles of one row less than `height` can be multiplied. That is more code: for
  /// constants, whose products are called again and again, and windows.
  bool canBeLower() {
    return (constant || op.getWindow()) && sumsAreFloats(multiply) && isFastPath() &&
           !usesAmx(multiply) && height > 1;
  }
  Value *areLower(Value *m, const Blocks &blocks);
  void storeTiles(Value *acc, int64_t vectors, Value *values, Value *row, Value *column,
                  Value *columns);
  /// Whether panels of a constant B are multiplied as they are: all but those of bf16 by f32.
  bool readsPanels() { return constant && (constant->group == 1 || elementsOfStep(multiply) > 1); }
  MicroKernel kernel(int64_t vectors) {
    MicroKernel kernel{multiply, vectors};
    if (readsPanels())
      kernel = kernelOfPanels(*constant, multiply, element);
    kernel.vectors = vectors;
    return kernel;
  }
  Function *widenRows();
  void packRows(Value *to, const Plane &from, Value *rowBytes, Value *rows, Value *depth);
  Function *rowsOfWindow();
  void zeroLastStep(Value *to, Value *rowBytes, Value *rows, Value *depth);
  /// isDenormalFree, of windows without their matrices.
  Value *areNormal(const ProductOperands &operands);
  Function *finish();
  Value *isDense(Value *stride) { return b.CreateICmpEQ(stride, e.number(e.bytesOf(element))); }
  /// False for the fallback of bf16 for denormals, which is optimised for size.
  bool isFastPath() { return multiply == multiplyOf(e.target, element) || usesAmx(multiply); }
  bool prefetchesNextProduct() { return hasNext && isFastPath(); }
  /// Whether rows of A can be multiplied in place: whole steps of them.
  bool rowsCanStay() {
    return element->isFloatTy() ||
           (elementsOfStep(multiply) > 1 && step % elementsAtOnce(multiply) == 0);
  }
  /// Whether rows of k elements can be read to their end: a rest below a step is read together with
  /// the elements before it, a tile is read whole.
  Value *endsInPlace(Value *k) {
    return usesAmx(multiply) ? b.CreateICmpEQ(e.roundDown(k, elementsAtOnce(multiply)), k)
                             : b.CreateICmpSGE(k, e.number(elementsOfStep(multiply)));
  }
  /// Whether all of B is read in place.
  Value *isBInPlace(const ProductOperands &operands) {
    if (!element->isFloatTy() || op.isWindowOfB())
      return b.getFalse();
    const Plane &plane = operands.b;
    Value *work = b.CreateMul(b.CreateMul(operands.m, operands.n), operands.k);
    Value *bytes = b.CreateMul(operands.k, plane.row);
    Value *isNear = b.CreateAnd(b.CreateICmpSLE(operands.m, e.number(tuning.rowsByBInPlace)),
                                b.CreateICmpULE(bytes, e.number(tuning.bytesOfBInPlace)));
    Value *isInOrder =
        b.CreateICmpULT(b.CreateOr(operands.m, plane.row), e.number(tuning.readInOrder));
    return b.CreateAnd(
        isDense(plane.column),
        b.CreateOr({b.CreateICmpSLE(work, e.number(tuning.smallProduct)), isNear, isInOrder}));
  }
  /// Whether the rows are one or two register tiles, and B is read in place, or quickly packed for
  /// bf16 dot products, which are twice as fast: then the product is not computed as a skinny GEMM.
  Value *areWholeTiles(const ProductOperands &operands, Value *bInPlace) {
    if (!element->isFloatTy() && !isBf16(multiply))
      return b.getFalse();
    Value *others = b.CreateAnd(b.CreateSub(operands.m, e.number(height)), e.number(~height));
    Value *elements = b.CreateMul(operands.n, operands.k);
    Value *isSoonPacked = b.CreateICmpSLE(elements, e.number(tuning.soonPackedElements));
    return b.CreateAnd({b.CreateICmpEQ(others, e.number(0)),
                        b.CreateICmpSGE(operands.n, e.number(e.target.lanes / 2)),
                        element->isFloatTy() ? bInPlace : isSoonPacked});
  }
  /// Whether rows of A, read in place, come from memory: those of bf16 have just been searched for
  /// denormals.
  bool prefetchesRows() { return rowsCanStay() && !usesAmx(multiply) && !isBf16(multiply); }

  Emitter &e;
  IRBuilder<> &b;
  cpu::ProductOp op;
  const CpuTuning tuning;
  Type *element;
  Multiply multiply;
  int64_t step, height;                     ///< depth of one pass at most; rows of a register tile
  int64_t accElements, bElements;           ///< scratch for sums, for B
  int64_t blockBytes, mostDepth, depthUnit; ///< of a packed block of B
  int64_t packedBytes, roomOfA;             ///< the most, of rows of A; elements of their scratch
  std::string name;
  bool hasNext; ///< whether the operands of the thread's next product are known
  std::optional<PanelLayout> constant; ///< of a constant B
  Epilogue epilogue;
};

// void(ptr a, ptr panel, ptr acc, ptr frame, i64 row, i64 lastRow, i64 column, i64 lastColumn):
// rows of A by panels of B, over one pass along k. A few rows of A are resident in L1 while the
// panels are streamed.
//
// Long: three nested loops that share their addresses.
Function *ProductEmitter::sumsOf(int64_t vectors, int64_t height) {
  Function *finish = this->finish();
  const std::string lower = height < this->height ? "_lower" : "";
  return e.helper(name + "_" + std::to_string(vectors) + lower, 4, 4, {}, [&](Function *f) {
    markLazy(*f);
    Value *a = f->getArg(0), *panels = f->getArg(1), *sumsOfRows = f->getArg(2),
          *firstRow = f->getArg(4), *rowEnd = f->getArg(5), *firstColumn = f->getArg(6),
          *columnEnd = f->getArg(7);
    const Frame frame(e, f->getArg(3));
    auto field = [&](Field which) { return frame.number(which); };
    const int64_t lanes = e.target.lanes, width = vectors * lanes;
    Value *values = frame.pointer(fieldContext);
    Value *aRow = field(fieldARow), *bStep = field(fieldBStep), *bytes = field(fieldBytes),
          *m = field(fieldRows), *n = field(fieldColumns);
    Value *bPanel = b.CreateMul(field(fieldBPanel), e.number(vectors));
    Value *accRow = b.CreateMul(field(fieldAccRow), e.number(vectors));
    Value *accPanel = b.CreateMul(field(fieldAccPanel), e.number(vectors));
    Value *first = frame.isSet(fieldIsFirst);
    Value *last = frame.isSet(fieldIsLast);
    Value *isDense = b.CreateAnd(last, epilogue.isDense(values));
    Value *lastStart = field(fieldLastStart);
    BatchPrefetcher next(e, frame.at(fieldNext));
    Value *prefetchesNext = prefetchesNextProduct() ? next.isActive() : nullptr;
    Value *prefetchesOutput = isFastPath() ? frame.isSet(fieldPrefetchesOutput) : nullptr;
    Value *rest = field(fieldRest), *offsets = nullptr;
    if (multiply == Multiply::int8Dot4)
      offsets = e.local(ArrayType::get(b.getInt32Ty(), height));
    e.loop(firstRow, rowEnd, e.number(height), [&](Value *row) {
      // A ragged last register tile overlaps the one before and stores equal values again: nothing
      // is read beyond the tensor, and no second loop is needed.
      Value *start = e.min(row, lastStart), *rows = b.CreateSub(m, start);
      Value *rowsBytes = b.CreateMul(aRow, e.number(height));
      Value *rowsOfA = e.offset(a, b.CreateMul(b.CreateSub(start, firstRow), aRow));
      Value *whole = b.CreateAnd(isDense, b.CreateICmpSGE(rows, e.number(height)));
      Value *acc = e.offset(sumsOfRows, b.CreateMul(b.CreateSub(row, firstRow), accRow));
      LastSteps lastSteps;
      if (elementsOfStep(multiply) > 1 && !usesAmx(multiply))
        lastSteps = emitLastSteps(e, rowsOfA, aRow, bytes, rest, height);
      if (offsets)
        b.CreateCall(zeroPointCompensation(e), {rowsOfA, offsets, aRow, field(fieldDepth)});
      e.loop(firstColumn, columnEnd, e.number(width), {panels, acc},
             [&](Value *column, ArrayRef<Value *> carried) {
               Value *panel = carried[0], *acc = carried[1];
               MicroKernel kernel = this->kernel(vectors);
               if (!usesAmx(multiply))
                 kernel.rows = height;
               const Sums initial{acc, e.number(width * 4), first, offsets};
               // While panels are streamed, the next rows are prefetched.
               Value *nextRows = prefetchesRows() ? e.offset(rowsOfA, rowsBytes) : nullptr;
               SmallVector<Value *> sums;
               if (prefetchesNext)
                 e.when(prefetchesNext, [&] { next.prefetchStep(); });
               if (prefetchesOutput)
                 e.when(prefetchesOutput,
                        [&] { epilogue.prefetchOutput(height, vectors, values, start, column); });
               if (usesAmx(multiply))
                 emitTileSums(e, kernel, rowsOfA, aRow, panel, bStep, bytes, initial);
               else
                 sums = emitSums(e, kernel, rowsOfA, aRow, panel, bStep, bytes, initial, lastSteps,
                                 nextRows);
               Value *columns = b.CreateSub(n, column);
               BasicBlock *done = BasicBlock::Create(b.getContext(), "done", f);
               if (epilogue.isLight() && isFastPath()) {
                 BasicBlock *here = BasicBlock::Create(b.getContext(), "registers", f);
                 BasicBlock *through = BasicBlock::Create(b.getContext(), "cache", f);
                 Value *fits = e.target.masks()
                                   ? whole
                                   : b.CreateAnd(whole, b.CreateICmpSGE(columns, e.number(width)));
                 b.CreateCondBr(fits, here, through);
                 b.SetInsertPoint(here);
                 if (usesAmx(multiply))
                   storeTiles(acc, vectors, values, start, column, columns);
                 else
                   epilogue.store(sums, vectors, values, start, column, columns);
                 b.CreateBr(done);
                 b.SetInsertPoint(through);
               }
               for (auto [i, sum] : enumerate(sums))
                 e.store(sum, e.offset(acc, i * lanes * 4));
               e.when(last, [&] {
                 b.CreateCall(finish,
                              {acc, values, e.number(width * 4), start, column,
                               e.min(rows, e.number(height)), e.min(columns, e.number(width))});
               });
               b.CreateBr(done);
               b.SetInsertPoint(done);
               return SmallVector<Value *>{e.offset(panel, bPanel), e.offset(acc, accPanel)};
             });
    });
  });
}

// Of few rows, where fewer of them are then computed twice: 49 are seven tiles of seven.
Value *ProductEmitter::areLower(Value *m, const Blocks &blocks) {
  if (!canBeLower())
    return b.getFalse();
  return b.CreateAnd({b.CreateICmpSLE(m, e.number(tuning.rowsInPlace)),
                      b.CreateICmpSGE(blocks.rows, m),
                      b.CreateICmpSLT(e.roundUp(m, height - 1), e.roundUp(m, height))});
}

// The epilogue of sums in memory. A short one mostly has them in registers.
Function *ProductEmitter::finish() {
  Function *finish = epilogue.finish(name + "_finish");
  if (epilogue.isLight())
    markLazy(*finish);
  return finish;
}

// A whole register tile from memory, as many rows at a time as fit the registers.
void ProductEmitter::storeTiles(Value *acc, int64_t vectors, Value *values, Value *row,
                                Value *column, Value *columns) {
  const int64_t rows = e.target.rows(), vectorBytes = e.target.lanes * 4;
  Type *vector = MicroKernel{multiply, vectors}.sumType(e);
  e.loop(e.number(0), e.number(height), e.number(rows), [&](Value *from) {
    Value *start = e.offset(acc, b.CreateMul(from, e.number(vectors * vectorBytes)));
    SmallVector<Value *> sums;
    for (int64_t i = 0; i < rows * vectors; ++i)
      sums.push_back(e.load(vector, e.offset(start, i * vectorBytes)));
    epilogue.store(sums, vectors, values, b.CreateAdd(row, from), column, columns);
  });
}

bool ProductEmitter::emit(const ProductOperands &operands, ProductEmitter *wide) {
  if (constant)
    return emitConstant(operands, wide);
  Value *bInPlace = isBInPlace(operands);
  auto callBlocks = [&](const ProductOperands &operands) {
    Value *normal = wide ? areNormal(operands) : b.getTrue();
    e.when(normal, [&] { this->callBlocks(operands, bInPlace); });
    if (wide)
      e.when(b.CreateNot(normal), [&] { markLazy(*wide->callBlocks(operands, bInPlace)); });
  };
  if (multiply == Multiply::i32 || op.getWindow()) {
    callBlocks(operands);
    return epilogue.complete;
  }
  // All columns, or the tail: a few columns after whole vectors would waste most of a vector.
  Value *isSkinny = b.CreateICmpSLE(e.min(operands.m, operands.n), e.number(tuning.skinnyRows));
  isSkinny = b.CreateAnd(isSkinny, b.CreateNot(areWholeTiles(operands, bInPlace)));
  Value *last = b.CreateAnd(operands.n, e.number(e.target.lanes - 1));
  Value *isRest =
      b.CreateAnd(b.CreateNot(isSkinny),
                  useDotProductsForTail(e, operands, last, element, bElements, accElements));
  Value *columns = b.CreateSelect(isRest, last, operands.n);
  Value *isDone = e.either(
      b.CreateOr(isSkinny, isRest), [&] { return callSkinny(operands, columns); },
      [&]() -> Value * { return b.getFalse(); });
  ProductOperands others = operands;
  others.n = b.CreateSelect(isDone, b.CreateSub(operands.n, columns), operands.n);
  e.when(b.CreateICmpNE(others.n, e.number(0)), [&] { callBlocks(others); });
  return epilogue.complete;
}

bool ProductEmitter::emitConstant(const ProductOperands &operands, ProductEmitter *wide) {
  const ConstantRoom room{step, 4 * roomOfA, accElements};
  Value *isSkinny = op.getWindow() ? b.getFalse() : isConstantSkinny(e, operands, room);
  Value *normal = wide ? areNormal(operands) : b.getTrue();
  e.when(b.CreateAnd(normal, isSkinny), [&] { callConstantSkinny(operands); });
  e.when(b.CreateAnd(normal, b.CreateNot(isSkinny)), [&] { callBlocks(operands, b.getFalse()); });
  if (wide)
    e.when(b.CreateNot(normal), [&] { markLazy(*wide->callBlocks(operands, b.getFalse())); });
  return epilogue.complete;
}

void ProductEmitter::callConstantSkinny(const ProductOperands &operands) {
  Function *skinny = e.helper(name + "_skinny", 1, 0, {}, [&](Function *f) {
    e.finishCold(f);
    markLazy(*f);
    const ProductOperands inside = operands.in(e, f->getArg(0));
    emitConstantSkinny(e, inside, *constant, multiplyOf(e.target, element), element,
                       {step, 4 * roomOfA, accElements},
                       [&](const SumsInMemory &sums, Value *column, Value *columns) {
                         b.CreateCall(finish(), {sums.pointer, inside.context, sums.row,
                                                 e.number(0), column, inside.m, columns});
                       });
  });
  b.CreateCall(skinny, {operands.frame});
}

/// A block of a constant B of bf16 as panels of f32 in its scratch.
void ProductEmitter::widenBlock(const ProductOperands &operands, Value *column, Value *columns,
                                Value *from, Value *depth, Value *bytes) {
  forEachConstantRun(
      e, operands, *constant, column, b.CreateAdd(column, columns), from,
      [&](const ConstantRun &run) {
        Value *place = b.CreateMul(b.CreateSub(run.panels.column, column), bytes);
        Value *vectors =
            b.CreateUDiv(b.CreateSub(run.panels.end, run.panels.column), e.number(e.target.lanes));
        b.CreateCall(widenPanels(e),
                     {e.offset(operands.bScratch, place), run.start, run.step, run.vector, bytes,
                      run.panels.vectors, b.CreateUDiv(vectors, run.panels.vectors), depth});
      });
}

// In a function of its own, optimised for size: whether a skinny GEMM has computed the last
// `columns` of the product.
Value *ProductEmitter::callSkinny(const ProductOperands &operands, Value *columns) {
  Value *isDone = e.local(b.getInt1Ty());
  Function *skinny = e.helper(name + "_skinny", 2, 1, {}, [&](Function *f) {
    e.finishCold(f);
    markLazy(*f);
    Value *column = f->getArg(2);
    ProductOperands inside = operands.in(e, f->getArg(0));
    inside.n = b.CreateSub(inside.n, column);
    inside.b.pointer = e.offset(inside.b.pointer, b.CreateMul(column, inside.b.column));
    Value *areTail = b.CreateICmpNE(column, e.number(0));
    Value *isSkinny = emitSkinnyGemm(
        e, inside, element, {step, bElements, accElements}, areTail, [&](const SumsInMemory &sums) {
          b.CreateCall(finish(), {sums.pointer, inside.context, sums.row, e.number(0), column,
                                  inside.m, inside.n});
        });
    b.CreateStore(isSkinny, f->getArg(1));
  });
  b.CreateCall(skinny, {operands.frame, isDone, b.CreateSub(operands.n, columns)});
  return b.CreateLoad(b.getInt1Ty(), isDone);
}

// A function of its own, which other variants of a kernel share: void(ptr frame, ptr context, i64
// n, i64 mostDepth, i64 blockBytes, i64 accElements, i64 packedBytes, i64 bInPlace).
Function *ProductEmitter::callBlocks(const ProductOperands &operands, Value *bInPlace) {
  Function *blocks = e.helper(name + "_blocks", 1, 6, {}, [&](Function *f) {
    e.finishCold(f);
    ProductOperands inside = operands.in(e, f->getArg(0));
    inside.n = f->getArg(1);
    Value *isInPlace = b.CreateICmpNE(f->getArg(6), e.number(0));
    emitBlocks(inside, {f->getArg(2), f->getArg(3), f->getArg(4), f->getArg(5)},
               element->isFloatTy() ? isInPlace : b.getFalse());
  });
  b.CreateCall(blocks,
               {operands.frame, operands.n, e.number(mostDepth), e.number(blockBytes),
                e.number(accElements), e.number(packedBytes), b.CreateZExt(bInPlace, e.i64())});
  return blocks;
}

/// Rows of A in dense rows of four bytes an element.
Function *ProductEmitter::widenRows() {
  return moveElements(e, element, element->isIntegerTy() ? b.getInt32Ty() : e.f32());
}

/// Rows of a window that is A as packRows has them.
Function *ProductEmitter::rowsOfWindow() {
  WindowForm form{element};
  if (elementsOfStep(multiply) == 1)
    form.type = element->isIntegerTy() ? static_cast<Type *>(b.getInt32Ty()) : e.f32();
  return WindowOperand(e, op).rows(name + "_window", form);
}

Value *ProductEmitter::areNormal(const ProductOperands &operands) {
  if (!op.getWindow())
    return isDenormalFree(e, operands);
  WindowOperand window(e, op);
  if (op.isWindowOfA())
    return areDenormalFree(e, window.leastExponent(operands.window, operands.m, operands.k),
                           leastExponentOfB(e, operands));
  return areDenormalFree(e, leastExponent(e, operands.a, operands.m, operands.k),
                         window.leastExponent(operands.window, operands.k, operands.n));
}

/// Zeros in the rest of the last step of rows of A: B has zeros there, but uninitialised memory may
/// hold NaN, and zeros of bytes that are offset in registers become 128.
void ProductEmitter::zeroLastStep(Value *to, Value *rowBytes, Value *rows, Value *depth) {
  if (const int64_t atOnce = elementsAtOnce(multiply);
      atOnce > 1 && (sumsAreFloats(multiply) || kernel(1).flips)) {
    Value *whole = e.roundDown(depth, atOnce);
    e.when(b.CreateICmpSLT(whole, depth), [&] {
      Value *last = e.offset(to, b.CreateMul(whole, e.number(e.bytesOf(element))));
      Constant *zeros = Constant::getNullValue(e.vectorOf(element, atOnce));
      e.loop(e.number(0), rows, e.number(1),
             [&](Value *row) { e.store(zeros, e.offset(last, b.CreateMul(row, rowBytes))); });
    });
  }
}

/// Rows of A in dense rows of what is multiplied, up to whole steps, or tiles.
void ProductEmitter::packRows(Value *to, const Plane &from, Value *rowBytes, Value *rows,
                              Value *depth) {
  zeroLastStep(to, rowBytes, rows, depth);
  Function *move = elementsOfStep(multiply) == 1 ? widenRows() : moveElements(e, element, element);
  if (rowsCanStay())
    markLazy(*move);
  b.CreateCall(move, {to, from.pointer, rowBytes, from.row, from.column, rows, depth});
}

// All rows of A by a block of B, which is resident in L2; if the depth takes several passes, as
// many rows as fit the scratch for partial sums.
//
// Long: one loop nest, whose levels share the fields that they set for the functions of a
// register tile.
void ProductEmitter::emitBlocks(const ProductOperands &operands, const BlockLimits &limits,
                                Value *bInPlace) {
  const Plane &planeA = operands.a, &planeB = operands.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t lanes = e.target.lanes;
  Value *aInPlace = b.getFalse();
  if (rowsCanStay() && !op.isWindowOfA())
    aInPlace =
        b.CreateAnd({isDense(planeA.column), b.CreateICmpSGE(m, e.number(height)), endsInPlace(k)});
  BlockChooser chooser = blockChooser();
  const Blocks blocks = chooser.choose({m, n, k, aInPlace, bInPlace}, limits);
  const Frame frame(e, fieldCount);
  auto times = [&](Value *x, int64_t y) { return b.CreateMul(x, e.number(y)); };
  frame.set(fieldContext, operands.context);
  frame.set(fieldRows, m);
  frame.set(fieldColumns, n);
  // Packed A may be read past its last row.
  Value *isLower = areLower(m, blocks);
  Value *tileRows = b.CreateSelect(isLower, e.number(height - 1), e.number(height));
  frame.set(fieldLastStart, b.CreateSelect(aInPlace, b.CreateSub(m, tileRows), m));
  // Sums of a single pass share one buffer, which is resident in L1.
  Value *waits = b.CreateICmpSLT(blocks.depth, k);
  Value *accRow = b.CreateSelect(waits, e.number(lanes * 4), e.number(0));
  Value *accPanel = b.CreateMul(accRow, e.roundUp(blocks.rows, height));
  frame.set(fieldAccRow, accRow);
  frame.set(fieldAccPanel, accPanel);

  Value *resultBytes = b.CreateMul(b.CreateMul(m, n), e.number(4));
  Value *isFar = b.CreateICmpSGT(resultBytes, e.number(tuning.outputBytesInL1()));
  if (prefetchesNextProduct()) {
    BatchPrefetcher next(e, frame.at(fieldNext));
    isFar = b.CreateOr(isFar, next.differs(operands));
    next.set(operands, element, height);
  }
  auto callSums = [&](Value *vectors, ArrayRef<Value *> arguments) {
    auto ofHeight = [&](int64_t height) {
      return ofWidth(e, vectors, [&](int64_t width) { return sumsOf(width, height); });
    };
    Value *function = ofHeight(height);
    if (canBeLower())
      function = b.CreateSelect(isLower, ofHeight(height - 1), function);
    b.CreateCall(sumsOf(1, height)->getFunctionType(), function, arguments);
  };
  Value *end = n;
  if (element->isFloatTy() && !constant) {
    // Loop overhead dominates small problems.
    Value *vectors = b.CreateLShr(n, Log2_64(lanes));
    Value *isDirect = b.CreateAnd({aInPlace, bInPlace, b.CreateICmpSLE(k, limits.depth),
                                   b.CreateICmpULE(vectors, e.number(CodeTarget::vectors)),
                                   b.CreateICmpEQ(n, e.roundDown(n, lanes))});
    end = e.either(
        isDirect,
        [&]() -> Value * {
          frame.set(fieldIsFirst, e.number(1));
          frame.set(fieldIsLast, e.number(1));
          frame.set(fieldPrefetchesOutput, isFar);
          frame.set(fieldBytes, times(k, 4));
          frame.set(fieldARow, planeA.row);
          frame.set(fieldBStep, planeB.row);
          frame.set(fieldBPanel, e.number(lanes * 4));
          callSums(vectors, {planeA.pointer, planeB.pointer, operands.acc, frame.address(),
                             e.number(0), m, e.number(0), n});
          return e.number(0);
        },
        [&]() -> Value * { return n; });
  }
  forEachPass(e, blocks, m, end, k, [&](const BlockPass &pass) {
    const auto [column, columns, row, rowEnd, from, depth, isFirst, isLast] = pass;
    frame.set(fieldIsFirst, isFirst);
    frame.set(fieldIsLast, isLast);
    if (isFastPath())
      frame.set(fieldPrefetchesOutput, b.CreateAnd(isLast, isFar));
    Value *bytes = chooser.bytesAlong(depth);
    // Packed rows have whole steps only.
    Value *end = b.CreateMul(depth, e.number(e.bytesOf(element)));
    frame.set(fieldBytes, b.CreateSelect(aInPlace, e.roundDown(end, 4), bytes));
    if (elementsOfStep(multiply) > 1) {
      frame.set(fieldRest, b.CreateSelect(aInPlace, b.CreateAnd(end, e.number(3)), e.number(0)));
      frame.set(fieldDepth, depth);
    }
    Value *packedRow = b.CreateAdd(bytes, e.number(tuning.rowPadding));
    frame.set(fieldARow, b.CreateSelect(aInPlace, planeA.row, packedRow));
    Value *sourceB =
        constant ? nullptr
                 : e.offset(planeB.pointer, b.CreateAdd(b.CreateMul(from, planeB.row),
                                                        b.CreateMul(column, planeB.column)));
    if (constant && !readsPanels())
      widenBlock(operands, column, columns, from, depth, bytes);
    auto pack = [&](Value *to, Value *source, Value *columns) {
      Function *panels = packPanels(e, multiply, element);
      if (element->isFloatTy()) // may be read in place
        markLazy(*panels);
      b.CreateCall(panels, {to, source, planeB.row, planeB.column, bytes, depth, columns});
    };
    if (op.isWindowOfB())
      packWindow(e, op, multiply, name, operands.bScratch, operands.window,
                 {from, depth, column, columns, bytes});
    else if (!constant)
      e.when(b.CreateNot(bInPlace), [&] { pack(operands.bScratch, sourceB, columns); });

    const int64_t leastPacked = std::max(height, tuning.packedRows.back());
    Value *chunk = e.number(leastPacked);
    for (int64_t rows : llvm::reverse(tuning.packedRows)) {
      if (rows <= leastPacked)
        continue;
      Value *few = e.min(e.number(rows), b.CreateSub(rowEnd, row));
      Value *haveRoom =
          b.CreateICmpSLE(b.CreateMul(e.roundUp(few, height), packedRow), limits.packedBytes);
      chunk = b.CreateSelect(haveRoom, e.number(rows), chunk);
    }
    chunk = b.CreateSelect(aInPlace, e.number(tuning.rowsInPlace), chunk);
    // Whole tiles: chunks are a multiple of their height.
    chunk =
        b.CreateSelect(isLower, b.CreateSub(chunk, b.CreateUDiv(chunk, e.number(height))), chunk);
    e.loop(row, rowEnd, chunk, [&](Value *chunkRow) {
      Value *chunkEnd = e.min(b.CreateAdd(chunkRow, chunk), rowEnd);
      Value *sourceA = e.offset(planeA.pointer, b.CreateAdd(b.CreateMul(from, planeA.column),
                                                            b.CreateMul(chunkRow, planeA.row)));
      if (op.isWindowOfA()) {
        Value *rows = b.CreateSub(chunkEnd, chunkRow);
        zeroLastStep(operands.aScratch, packedRow, rows, depth);
        b.CreateCall(rowsOfWindow(),
                     {operands.aScratch, operands.window, packedRow, chunkRow, rows, from, depth});
      }
      e.when(b.CreateAnd(b.CreateNot(aInPlace), b.getInt1(!op.isWindowOfA())), [&] {
        packRows(operands.aScratch, {sourceA, planeA.row, planeA.column}, packedRow,
                 b.CreateSub(chunkEnd, chunkRow), depth);
      });
      Value *a = b.CreateSelect(aInPlace, sourceA, operands.aScratch);
      auto multiply = [&](const PanelRun &run, Value *panel, Value *bStep, Value *bPanel) {
        frame.set(fieldBStep, bStep);
        frame.set(fieldBPanel, bPanel);
        Value *vectorsBefore = b.CreateAShr(run.column, e.number(Log2_64(lanes)));
        Value *rowsBefore = b.CreateMul(b.CreateSub(chunkRow, row), run.vectors);
        Value *acc = e.offset(operands.acc, b.CreateAdd(b.CreateMul(vectorsBefore, accPanel),
                                                        b.CreateMul(rowsBefore, accRow)));
        callSums(run.vectors, {a, panel, acc, frame.address(), chunkRow, chunkEnd,
                               b.CreateAdd(column, run.column), b.CreateAdd(column, run.end)});
      };
      if (constant)
        return forEachConstantRun(
            e, operands, *constant, column, b.CreateAdd(column, columns), from,
            [&](const ConstantRun &constantRun) {
              PanelRun run = constantRun.panels;
              run.column = b.CreateSub(run.column, column);
              run.end = b.CreateSub(run.end, column);
              if (readsPanels())
                return multiply(run, constantRun.start, constantRun.step, constantRun.vector);
              multiply(run, e.offset(operands.bScratch, b.CreateMul(run.column, bytes)),
                       times(run.vectors, lanes * 4), times(bytes, lanes));
            });
      forEachRun(e, columns, bInPlace, [&](const PanelRun &run) {
        Value *place = b.CreateSelect(bInPlace, e.number(0), run.column);
        Value *panel = e.offset(operands.bScratch, b.CreateMul(place, bytes));
        Value *bStep = times(run.vectors, lanes * 4), *bPanel = times(bytes, lanes);
        if (element->isFloatTy()) {
          // Even with B in place, the last columns are packed when they are no whole panel.
          Value *ragged = b.CreateICmpSGT(run.end, columns);
          Value *source = e.offset(sourceB, b.CreateMul(run.column, planeB.column));
          Value *here = b.CreateAnd(bInPlace, b.CreateNot(ragged));
          e.when(b.CreateAnd({bInPlace, ragged, b.CreateICmpEQ(chunkRow, row)}),
                 [&] { pack(panel, source, b.CreateSub(columns, run.column)); });
          panel = b.CreateSelect(here, source, panel);
          bStep = b.CreateSelect(here, planeB.row, bStep);
          bPanel = b.CreateSelect(here, e.number(lanes * 4), bPanel);
        }
        multiply(run, panel, bStep, bPanel);
      });
    });
  });
}

} // namespace

Value *emitContext(Emitter &e, cpu::ProductOp op, ArrayRef<Plane> inputs, ArrayRef<Plane> outputs,
                   ArrayRef<Value *> scalars) {
  Type *sum = nullptr; // not used here
  return Epilogue(e, op.getBody().front(), sum, op.getInputs(), op.getInputAlong(), op.getOutputs())
      .context(inputs, outputs, scalars);
}

/// One whose A is no constant; B may be one, in panels.
static bool emitOfRows(Emitter &e, cpu::ProductOp op, const ProductOperands &operands) {
  mlir::Type type = cast<mlir::MemRefType>(op.getB().getType()).getElementType();
  Type *element = e.elementType(type);
  std::optional<PanelLayout> constant;
  if (operands.constant.prefix)
    constant = panelLayoutOf(e.target, type);
  const Multiply multiply = multiplyOfBlocks(e.target, element, op);
  const std::string name = "product_" + std::to_string(e.module.size());
  ProductEmitter emitter(e, op, element, multiply, name, operands.hasNext(), constant);
  if (!isBf16(multiply))
    return emitter.emit(operands, nullptr);
  ProductEmitter wide(e, op, element, Multiply::f32, name + "_wide", operands.hasNext(), constant);
  return emitter.emit(operands, &wide);
}

bool emitProduct(Emitter &e, cpu::ProductOp op, const ProductOperands &operands) {
  const std::optional<unsigned> packed = packedSideOf(op, e.target);
  if (!packed)
    return emitOfRows(e, op, operands);
  Value *areFew = e.b.CreateICmpSLE(operands.constant.columns, e.number(PanelLayout::fewColumns));
  ProductOperands plain = operands;
  plain.constant = {};
  bool complete = true;
  e.when(areFew, [&] { complete &= emitOfRows(e, op, plain); });
  e.when(e.b.CreateNot(areFew), [&] {
    complete &= *packed == 0 ? emitConstantLeft(e, op, operands) : emitOfRows(e, op, operands);
  });
  return complete;
}

} // namespace mmk
