// Why a product has its own way on the host: through emulated memories every element of an operand
// would be copied twice and every sum three times, which alone costs more than what separates a
// good library from the arithmetic's ceiling.
#include "codegen/product.h"

#include "codegen/pack.h"
#include "codegen/thin_bytes.h"
#include "runtime/abi.h"

#include <cstddef>

using namespace llvm;

namespace mmk {

Multiply multiplyOf(const CodeTarget &target, Type *element) {
  if (element->isFloatingPointTy())
    return Multiply::f32;
  return target.dotProduct ? Multiply::bytes : Multiply::i32;
}

namespace {

// Multiply-adds below which an operand in f32 is read where it is: packing it would take a good
// part of the time that its product takes, and all of it is near.
constexpr int64_t smallProduct = 160 * 160 * 160;

/// Rows up to which a product is bound by reading B, so that packing it would cost more than it
/// brings.
constexpr int64_t thinRows = 16;

/// Rows of B that a thin product takes at a time.
constexpr int64_t thinDepth = 8;

/// The least of them, and of columns: what is smaller is near, and sums stay in registers.
constexpr int64_t thinElements = 256 * 256;

/// Columns up to which each row of A is used for at most three panels.
constexpr int64_t narrowColumns = 128;

class ProductEmitter {
public:
  ProductEmitter(Emitter &e, aicore::ProductOp op)
      : e(e), b(e.b),
        element(e.elementType(cast<mlir::MemRefType>(op.getA().getType()).getElementType())),
        multiply(multiplyOf(e.target, element)), step(op.getStep()),
        tileRows(cast<mlir::MemRefType>(op.getAScratch().getType()).getShape()[0]),
        accElements(cast<mlir::MemRefType>(op.getAcc().getType()).getNumElements()),
        name("product_" + std::to_string(e.module.size())),
        epilogue(e, op.getBody().front(), MicroKernel{multiply, 1}.sumType(e)->getScalarType(),
                 op.getInputs(), op.getInputAlong(), op.getOutputs()) {}

  bool emit(const ProductOperands &operands);

private:
  void emitTile(const ProductOperands &operands, Value *values);
  Function *thinSums();
  Function *panelOf(int64_t vectors);
  Value *packed(Value *source, int64_t kind, Value *bytes, Value *scratch, Value *users,
                Value *core, function_ref<void(Value *)> pack);
  /// From one row of packed A to the next.
  int64_t rowBytes() { return multiply == Multiply::bytes ? alignTo(step, 4) : step * 4; }

  Emitter &e;
  IRBuilder<> &b;
  Type *element;
  Multiply multiply;
  int64_t step, tileRows; ///< of a tile at most: depth of one pass, rows
  int64_t accElements;    ///< room for sums
  std::string name;
  Epilogue epilogue;
};

// void(ptr a, ptr panel, ptr acc, ptr context, i64 aRow, i64 bStep, i64 bytes, i64 column, i64 m,
// i64 columns, i1 first, i1 last): all rows of A by one panel of B, over one pass along k.
Function *ProductEmitter::panelOf(int64_t vectors) {
  Function *finish = epilogue.finish(name + "_finish");
  return e.helper(
      name + "_" + std::to_string(vectors), 4, 6, {b.getInt1Ty(), b.getInt1Ty()}, [&](Function *f) {
        Value *a = f->getArg(0), *panel = f->getArg(1), *sumsOfPanel = f->getArg(2),
              *values = f->getArg(3), *aRow = f->getArg(4), *bStep = f->getArg(5),
              *bytes = f->getArg(6), *column = f->getArg(7), *m = f->getArg(8),
              *columns = f->getArg(9), *first = f->getArg(10), *last = f->getArg(11);
        const int64_t lanes = e.target.lanes, width = vectors * lanes, height = e.target.rows();
        Value *whole = b.CreateAnd(b.CreateAnd(last, b.CreateICmpSGE(columns, e.number(width))),
                                   epilogue.isDense(values));
        Value *lastRow = b.CreateSub(m, e.number(1));
        Value *nextPanel = e.offset(panel, width * step * 4);
        e.loop(e.number(0), m, e.number(height), [&](Value *row) {
          // Rows beyond the last one repeat it: no reading beyond the tensor, and no other loop.
          SmallVector<Value *> pointers;
          for (int64_t r = 0; r < height; ++r)
            pointers.push_back(
                e.offset(a, b.CreateMul(e.min(b.CreateAdd(row, e.number(r)), lastRow), aRow)));
          Value *acc = e.offset(sumsOfPanel, b.CreateMul(row, e.number(width * 4)));
          // The next rows lie behind these, and the next panel behind this one: the tiles of a
          // panel ask for it bit by bit, as it may be far away when none of them has used it yet.
          Following following;
          // Rows read in place lie apart, each a stream that the hardware follows.
          following.rows = b.CreateSelect(b.CreateICmpEQ(aRow, e.number(rowBytes())),
                                          e.offset(pointers.back(), aRow), panel);
          following.panelBytes = alignTo(width * 4 * height / tileRows, 4);
          Value *share = b.CreateAShr(b.CreateMul(row, bytes), e.number(Log2_64(4 * height)));
          following.panel = e.offset(nextPanel, b.CreateMul(share, e.number(following.panelBytes)));
          SmallVector<Value *> sums = emitSums(e, {multiply, vectors}, pointers, panel, bStep,
                                               bytes, {acc, e.number(width * 4), first}, following);
          Value *rows = b.CreateSub(m, row);
          BasicBlock *done = BasicBlock::Create(b.getContext(), "done", f);
          if (epilogue.isLight()) {
            BasicBlock *here = BasicBlock::Create(b.getContext(), "registers", f);
            BasicBlock *through = BasicBlock::Create(b.getContext(), "cache", f);
            b.CreateCondBr(b.CreateAnd(whole, b.CreateICmpSGE(rows, e.number(height))), here,
                           through);
            b.SetInsertPoint(here);
            epilogue.store(sums, vectors, values, row, column);
            b.CreateBr(done);
            b.SetInsertPoint(through);
          }
          for (auto [i, sum] : enumerate(sums))
            e.store(sum, e.offset(acc, i * lanes * 4));
          e.when(last, [&] {
            b.CreateCall(finish, {acc, values, e.number(width * 4), row, column,
                                  e.min(rows, e.number(height)), e.min(columns, e.number(width))});
          });
          b.CreateBr(done);
          b.SetInsertPoint(done);
        });
      });
}

// Where `source` lies packed: done once for all of its users, or else in the scratch of this core.
Value *ProductEmitter::packed(Value *source, int64_t kind, Value *bytes, Value *scratch,
                              Value *users, Value *core, function_ref<void(Value *)> pack) {
  auto field = [&](size_t offset) {
    return b.CreateAlignedLoad(e.pointer(), e.offset(core, offset), Align(8));
  };
  Value *store = field(offsetof(CoreMemories, packed));
  Value *shared = b.CreateAnd(b.CreateICmpSGT(users, e.number(1)), b.CreateIsNotNull(store));
  Value *mine = e.local(e.i64());
  b.CreateAlignedStore(e.number(1), mine, Align(8));
  auto *findType = FunctionType::get(
      e.pointer(), {e.pointer(), e.pointer(), e.i64(), e.i64(), e.pointer()}, false);
  Value *data = e.either(
      shared,
      [&]() -> Value * {
        return b.CreateCall(findType, field(offsetof(CoreMemories, findPacked)),
                            {store, source, e.number(kind), bytes, mine});
      },
      [&]() -> Value * { return ConstantPointerNull::get(b.getPtrTy()); });
  Value *none = b.CreateIsNull(data);
  Value *target = b.CreateSelect(none, scratch, data);
  Value *fill = b.CreateICmpNE(b.CreateAlignedLoad(e.i64(), mine, Align(8)), e.number(0));
  e.when(b.CreateOr(none, fill), [&] {
    pack(target);
    e.when(b.CreateNot(none), [&] {
      b.CreateCall(FunctionType::get(b.getVoidTy(), {e.pointer(), e.pointer()}, false),
                   field(offsetof(CoreMemories, keepPacked)), {store, data});
    });
  });
  return target;
}

// void(ptr a, ptr b, ptr sums, i64 aRow, i64 bRow, i64 m, i64 n, i64 k, i64 sumRow): adds to the
// sums of a few rows, over B as it lies. Some of its rows at a time are read from end to end, so
// that memory is read once and in order; each vector of them is widened once for all rows of A, and
// the sums, which stay in the first-level cache, are touched once for so many products.
Function *ProductEmitter::thinSums() {
  return e.helper(name + "_thin", 3, 6, {}, [&](Function *f) {
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *aRow = f->getArg(3),
          *bRow = f->getArg(4), *m = f->getArg(5), *n = f->getArg(6), *k = f->getArg(7),
          *sumRow = f->getArg(8);
    const int64_t lanes = e.target.lanes, size = e.bytesOf(element);
    Type *vector = e.vectorOf(element, lanes), *wide = e.vectorOf(e.f32(), lanes);
    auto rowsOfB = [&](int64_t count, Value *from, Value *to) {
      e.loop(from, to, e.number(count), [&](Value *depth) {
        Value *rowsOfA = e.offset(a, b.CreateMul(depth, e.number(4)));
        Value *start = e.offset(source, b.CreateMul(depth, bRow));
        auto column = [&](Value *column, function_ref<Value *(Value *)> load) {
          SmallVector<Value *> loaded;
          Value *at = e.offset(start, b.CreateMul(column, e.number(size)));
          for (int64_t i = 0; i < count; ++i, at = e.offset(at, bRow)) {
            loaded.push_back(e.convert(load(at), e.f32()));
            // The same columns of the rows to come: each begins on a page of its own.
            e.prefetch(e.offset(at, b.CreateMul(bRow, e.number(count))));
          }
          Value *sumAt = e.offset(sums, b.CreateMul(column, e.number(4)));
          e.loop(e.number(0), m, e.number(1), [&](Value *row) {
            Value *to = e.offset(sumAt, b.CreateMul(row, sumRow)), *sum = e.load(wide, to);
            Value *elements = e.offset(rowsOfA, b.CreateMul(row, aRow));
            for (int64_t i = 0; i < count; ++i) {
              Value *spread = e.splat(e.load(e.f32(), e.offset(elements, i * 4)), lanes);
              sum = emitMultiply(e, Multiply::f32, spread, loaded[i], sum);
            }
            e.store(sum, to);
          });
        };
        auto some = [&](Value *at) {
          return [&, at](Value *of) { return e.loadSome(vector, of, b.CreateSub(n, at)); };
        };
        if (e.target.masks()) {
          e.loop(e.number(0), n, e.number(lanes), [&](Value *at) { column(at, some(at)); });
          return;
        }
        Value *whole = e.roundDown(n, lanes);
        e.loop(e.number(0), whole, e.number(lanes),
               [&](Value *at) { column(at, [&](Value *of) { return e.load(vector, of); }); });
        e.when(b.CreateICmpSLT(whole, n), [&] { column(whole, some(whole)); });
      });
    };
    Value *main = e.roundDown(k, thinDepth);
    rowsOfB(thinDepth, e.number(0), main);
    rowsOfB(1, main, k);
  });
}

bool ProductEmitter::emit(const ProductOperands &operands) {
  Value *values = epilogue.context(operands.inputs, operands.outputs, operands.scalars);
  if (multiply != Multiply::bytes) {
    emitTile(operands, values);
    return epilogue.complete;
  }
  Value *thin = isThinBytes(e, operands, step, accElements);
  e.when(thin,
         [&] { emitThinBytes(e, operands, step, epilogue.finish(name + "_finish"), values); });
  e.when(b.CreateNot(thin), [&] { emitTile(operands, values); });
  return epilogue.complete;
}

void ProductEmitter::emitTile(const ProductOperands &operands, Value *values) {
  const Plane &planeA = operands.a, &planeB = operands.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t height = e.target.rows(), lanes = e.target.lanes;
  const bool isF32 = element->isFloatTy();
  auto all = [&](ArrayRef<Value *> conditions) { return b.CreateAnd(conditions); };
  auto atMost = [&](Value *x, int64_t y) { return b.CreateICmpSLE(x, e.number(y)); };
  auto isDense = [&](Value *stride) {
    return b.CreateICmpEQ(stride, e.number(e.bytesOf(element)));
  };
  Value *thin = b.getFalse(), *aInPlace = b.getFalse(), *bInPlace = b.getFalse();
  if (multiply == Multiply::f32)
    thin = all({atMost(m, thinRows), isDense(planeB.column),
                b.CreateICmpSGE(b.CreateMul(n, k), e.number(thinElements))});
  if (isF32) {
    Value *small = atMost(b.CreateMul(b.CreateMul(m, n), k), smallProduct);
    // Few columns: a row of A is used up while it comes from memory, and packing would only wait.
    Value *narrow = all({atMost(n, narrowColumns), atMost(operands.tilesOfA, 1)});
    Value *kept = all({b.CreateNot(thin), isDense(planeA.column)});
    aInPlace = all({b.CreateOr(small, narrow), kept});
    bInPlace = all({small, isDense(planeB.column)});
  }
  // The rows of a thin product are read together: on lines that share no set of the cache.
  Value *packedRow = b.CreateSelect(thin, e.number(rowBytes() + 64), e.number(rowBytes()));
  Value *sumRow = b.CreateMul(e.roundUp(n, lanes), e.number(4));
  e.when(thin,
         [&] { b.CreateMemSet(operands.acc, b.getInt8(0), b.CreateMul(m, sumRow), MaybeAlign()); });

  e.loop(e.number(0), k, e.number(step), [&](Value *from) {
    Value *depth = e.min(e.number(step), b.CreateSub(k, from));
    Value *first = b.CreateICmpEQ(from, e.number(0));
    Value *last = b.CreateICmpEQ(b.CreateAdd(from, depth), k);
    Value *bytes =
        multiply == Multiply::bytes ? e.roundUp(depth, 4) : b.CreateMul(depth, e.number(4));
    Value *sourceA = e.offset(planeA.pointer, b.CreateMul(from, planeA.column));
    Value *a = e.either(
        aInPlace, [&] { return sourceA; },
        [&] {
          Type *wide = multiply == Multiply::f32   ? e.f32()
                       : multiply == Multiply::i32 ? b.getInt32Ty()
                                                   : b.getInt8Ty();
          Function *move = moveElements(e, element, wide, multiply == Multiply::bytes);
          return packed(sourceA, 0, b.CreateMul(m, packedRow), operands.aScratch, operands.tilesOfA,
                        operands.core, [&](Value *to) {
                          b.CreateCall(
                              move, {to, sourceA, packedRow, planeA.row, planeA.column, m, depth});
                        });
        });
    Value *aRow = b.CreateSelect(aInPlace, planeA.row, packedRow);
    Value *sourceB = e.offset(planeB.pointer, b.CreateMul(from, planeB.row));
    e.when(thin, [&] {
      b.CreateCall(thinSums(), {a, sourceB, operands.acc, aRow, planeB.row, m, n, depth, sumRow});
    });
    e.when(b.CreateNot(thin), [&] {
      auto pack = [&](Value *to, Value *source, Value *columns) {
        b.CreateCall(packPanels(e, multiply, element, step),
                     {to, source, planeB.row, planeB.column, depth, columns});
      };
      Value *panels = e.either(
          bInPlace, [&] { return operands.bScratch; },
          [&] {
            return packed(sourceB, 1, b.CreateMul(e.roundUp(n, lanes), e.number(step * 4)),
                          operands.bScratch, operands.tilesOfB, operands.core,
                          [&](Value *to) { pack(to, sourceB, n); });
          });
      Value *rows = e.roundUp(m, height);
      forEachPanel(e, n, [&](Value *vectors, Value *column) {
        Value *columns = b.CreateSub(n, column), *width = b.CreateMul(vectors, e.number(lanes));
        Value *panel = e.offset(panels, b.CreateMul(column, e.number(step * 4)));
        Value *source = e.offset(sourceB, b.CreateMul(column, planeB.column));
        Value *here = b.getFalse();
        if (isF32) {
          // In place, too, the last columns are packed when they are no whole panel.
          here = all({bInPlace, b.CreateICmpSGE(columns, width)});
          e.when(all({bInPlace, b.CreateNot(here)}), [&] { pack(panel, source, columns); });
        }
        Value *acc = e.offset(operands.acc, b.CreateMul(b.CreateMul(column, e.number(4)), rows));
        b.CreateCall(panelOf(1)->getFunctionType(),
                     ofWidth(e, vectors, [&](int64_t width) { return panelOf(width); }),
                     {a, b.CreateSelect(here, source, panel), acc, values, aRow,
                      b.CreateSelect(here, planeB.row, b.CreateMul(width, e.number(4))), bytes,
                      column, m, columns, first, last});
      });
    });
  });
  e.when(thin, [&] {
    b.CreateCall(epilogue.finish(name + "_finish"),
                 {operands.acc, values, sumRow, e.number(0), e.number(0), m, n});
  });
}

} // namespace

bool emitProduct(Emitter &e, aicore::ProductOp op, const ProductOperands &operands) {
  return ProductEmitter(e, op).emit(operands);
}

} // namespace mmk
