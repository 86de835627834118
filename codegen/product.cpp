// Why a product has its own way on the host: through emulated memories every element of an operand
// would be copied twice and every sum three times, which alone costs more than what separates a
// good library from the arithmetic's ceiling.
#include "codegen/product.h"

#include "codegen/pack.h"
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

/// Rows up to which a product is bound by reading B, whatever is done with it.
constexpr int64_t thinRows = 4;

/// Columns up to which each row of A is used for at most three panels.
constexpr int64_t narrowColumns = 128;

class ProductEmitter {
public:
  ProductEmitter(Emitter &e, aicore::ProductOp op)
      : e(e), b(e.b),
        element(e.elementType(cast<mlir::MemRefType>(op.getA().getType()).getElementType())),
        multiply(multiplyOf(e.target, element)), step(op.getStep()),
        name("product_" + std::to_string(e.module.size())),
        epilogue(e, op.getBody().front(), MicroKernel{multiply, 1}.sumType(e)->getScalarType(),
                 op.getInputs(), op.getInputAlong(), op.getOutputs()) {}

  bool emit(const ProductOperands &operands);

private:
  void emitTile(const ProductOperands &operands, Value *values);
  void emitThin(const ProductOperands &operands, Value *values);
  Function *thinSums();
  Function *registerTile(int64_t vectors);
  Value *packed(Value *source, int64_t kind, Value *bytes, Value *scratch, Value *users,
                Value *core, function_ref<void(Value *)> pack);
  /// From one row of packed A to the next.
  int64_t rowBytes() { return multiply == Multiply::bytes ? alignTo(step, 4) : step * 4; }

  Emitter &e;
  IRBuilder<> &b;
  Type *element;
  Multiply multiply;
  int64_t step;
  std::string name;
  Epilogue epilogue;
};

// void(ptr a, ptr b, ptr acc, ptr context, i64 aRow, i64 bStep, i64 bytes, i64 row, i64 column,
// i64 rows, i64 columns, i1 first, i1 last): one register tile over one pass along k.
Function *ProductEmitter::registerTile(int64_t vectors) {
  Function *finish = epilogue.finish(name + "_finish");
  return e.helper(
      name + "_" + std::to_string(vectors), 4, 7, {b.getInt1Ty(), b.getInt1Ty()}, [&](Function *f) {
        Value *a = f->getArg(0), *panel = f->getArg(1), *acc = f->getArg(2), *values = f->getArg(3),
              *aRow = f->getArg(4), *bStep = f->getArg(5), *bytes = f->getArg(6),
              *row = f->getArg(7), *column = f->getArg(8), *rows = f->getArg(9),
              *columns = f->getArg(10), *first = f->getArg(11), *last = f->getArg(12);
        const int64_t lanes = e.target.lanes, width = vectors * lanes, height = e.target.rows();
        const MicroKernel kernel{multiply, vectors};
        Type *vector = kernel.sumType(e);
        // Rows beyond the last one repeat it: no reading beyond the tensor, and no other loop.
        SmallVector<Value *> pointers;
        Value *lastRow = b.CreateSub(rows, e.number(1));
        for (int64_t r = 0; r < height; ++r)
          pointers.push_back(e.offset(a, b.CreateMul(e.min(e.number(r), lastRow), aRow)));
        auto sumAt = [&](int64_t i) { return e.offset(acc, i * lanes * 4); };

        BasicBlock *before = b.GetInsertBlock(), *from = nullptr;
        SmallVector<Value *> loaded, sums;
        e.when(b.CreateNot(first), [&] {
          for (int64_t i = 0; i < height * vectors; ++i)
            loaded.push_back(e.load(vector, sumAt(i)));
          from = b.GetInsertBlock();
        });
        for (Value *value : loaded) {
          PHINode *phi = b.CreatePHI(vector, 2);
          phi->addIncoming(Constant::getNullValue(vector), before);
          phi->addIncoming(value, from);
          sums.push_back(phi);
        }
        if (multiply == Multiply::bytes) {
          for (int64_t i = 0; i < height * vectors; ++i)
            sums[i] =
                b.CreateAdd(sums[i], e.load(vector, e.offset(panel, i % vectors * lanes * 4)));
          panel = e.offset(panel, width * 4);
        }
        sums = emitSums(e, kernel, pointers, panel, bStep, bytes, sums);

        BasicBlock *done = BasicBlock::Create(b.getContext(), "done", f);
        if (epilogue.isLight()) {
          Value *whole = b.CreateAnd(b.CreateICmpSGE(rows, e.number(height)),
                                     b.CreateICmpSGE(columns, e.number(width)));
          Value *dense = epilogue.isDense(values);
          BasicBlock *here = BasicBlock::Create(b.getContext(), "registers", f);
          BasicBlock *through = BasicBlock::Create(b.getContext(), "cache", f);
          b.CreateCondBr(b.CreateAnd(last, b.CreateAnd(whole, dense)), here, through);
          b.SetInsertPoint(here);
          epilogue.store(sums, vectors, values, row, column);
          b.CreateBr(done);
          b.SetInsertPoint(through);
        }
        for (int64_t i = 0; i < height * vectors; ++i)
          e.store(sums[i], sumAt(i));
        e.when(last, [&] {
          b.CreateCall(finish, {acc, values, e.number(width * 4), row, column,
                                e.min(rows, e.number(height)), e.min(columns, e.number(width))});
        });
        b.CreateBr(done);
        b.SetInsertPoint(done);
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

// void(ptr a, ptr b, ptr sums, i64 aRow, i64 aK, i64 bK, i64 m, i64 n, i64 k, i64 sumRow): sums of
// a few rows, over B as it lies: eight of its rows at a time from end to end, so that memory is
// read once, in order, and the sums are touched once for eight products.
Function *ProductEmitter::thinSums() {
  return e.helper(name + "_thin", 3, 7, {}, [&](Function *f) {
    Value *a = f->getArg(0), *source = f->getArg(1), *sums = f->getArg(2), *aRow = f->getArg(3),
          *aK = f->getArg(4), *bK = f->getArg(5), *m = f->getArg(6), *n = f->getArg(7),
          *k = f->getArg(8), *sumRow = f->getArg(9);
    const int64_t lanes = e.target.lanes, size = e.bytesOf(element);
    Type *vector = e.vectorOf(element, lanes), *wide = e.vectorOf(e.f32(), lanes);
    b.CreateMemSet(sums, b.getInt8(0), b.CreateMul(m, sumRow), MaybeAlign());
    auto rowsOfB = [&](int64_t count, Value *from, Value *to) {
      e.loop(from, to, e.number(count), [&](Value *depth) {
        e.loop(e.number(0), m, e.number(1), [&](Value *row) {
          SmallVector<Value *> elements, starts;
          for (int64_t i = 0; i < count; ++i) {
            Value *at = b.CreateAdd(depth, e.number(i));
            Value *one = e.load(
                element, e.offset(a, b.CreateAdd(b.CreateMul(row, aRow), b.CreateMul(at, aK))));
            elements.push_back(e.splat(e.convert(one, e.f32()), lanes));
            starts.push_back(e.offset(source, b.CreateMul(at, bK)));
          }
          Value *ofRow = e.offset(sums, b.CreateMul(row, sumRow));
          auto add = [&](Value *column, function_ref<Value *(Value *)> load) {
            Value *at = e.offset(ofRow, b.CreateMul(column, e.number(4)));
            Value *sum = e.load(wide, at);
            for (int64_t i = 0; i < count; ++i) {
              Value *of = e.offset(starts[i], b.CreateMul(column, e.number(size)));
              sum = emitMultiply(e, Multiply::f32, elements[i], e.convert(load(of), e.f32()), sum);
              // The same columns of the rows to come: each begins on a page of its own.
              e.prefetch(e.offset(of, b.CreateMul(bK, e.number(count))));
            }
            e.store(sum, at);
          };
          Value *whole = e.roundDown(n, lanes), *rest = b.CreateSub(n, whole);
          e.loop(e.number(0), whole, e.number(lanes), [&](Value *column) {
            add(column, [&](Value *of) { return e.load(vector, of); });
          });
          e.when(b.CreateICmpSGT(rest, e.number(0)),
                 [&] { add(whole, [&](Value *of) { return e.loadSome(vector, of, rest); }); });
        });
      });
    };
    Value *main = e.roundDown(k, 8);
    rowsOfB(8, e.number(0), main);
    rowsOfB(1, main, k);
  });
}

void ProductEmitter::emitThin(const ProductOperands &operands, Value *values) {
  Value *sumRow = b.CreateMul(e.roundUp(operands.n, e.target.lanes), e.number(4));
  b.CreateCall(thinSums(),
               {operands.a.pointer, operands.b.pointer, operands.acc, operands.a.row,
                operands.a.column, operands.b.row, operands.m, operands.n, operands.k, sumRow});
  b.CreateCall(epilogue.finish(name + "_finish"),
               {operands.acc, values, sumRow, e.number(0), e.number(0), operands.m, operands.n});
}

bool ProductEmitter::emit(const ProductOperands &operands) {
  Value *values = epilogue.context(operands.inputs, operands.outputs, operands.scalars);
  if (multiply != Multiply::f32) {
    emitTile(operands, values);
    return epilogue.complete;
  }
  Value *thin = b.CreateAnd(b.CreateICmpSLE(operands.m, e.number(thinRows)),
                            b.CreateICmpEQ(operands.b.column, e.number(e.bytesOf(element))));
  e.when(thin, [&] { emitThin(operands, values); });
  e.when(b.CreateNot(thin), [&] { emitTile(operands, values); });
  return epilogue.complete;
}

void ProductEmitter::emitTile(const ProductOperands &operands, Value *values) {
  const Plane &planeA = operands.a, &planeB = operands.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t height = e.target.rows(), lanes = e.target.lanes;
  Value *small = element->isFloatTy()
                     ? b.CreateICmpSLE(b.CreateMul(b.CreateMul(m, n), k), e.number(smallProduct))
                     : b.getFalse();
  // Few columns: a row of A is used up while it comes from memory, and packing would only wait.
  Value *narrow = element->isFloatTy()
                      ? b.CreateAnd(b.CreateICmpSLE(n, e.number(narrowColumns)),
                                    b.CreateICmpSLE(operands.tilesOfA, e.number(1)))
                      : b.getFalse();
  Value *aInPlace =
      b.CreateAnd(b.CreateOr(small, narrow), b.CreateICmpEQ(planeA.column, e.number(4)));
  Value *bInPlace = b.CreateAnd(small, b.CreateICmpEQ(planeB.column, e.number(4)));

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
          return packed(sourceA, 0, b.CreateMul(m, e.number(rowBytes())), operands.aScratch,
                        operands.tilesOfA, operands.core, [&](Value *to) {
                          b.CreateCall(move, {to, sourceA, e.number(rowBytes()), planeA.row,
                                              planeA.column, m, depth});
                        });
        });
    Value *aRow = b.CreateSelect(aInPlace, planeA.row, e.number(rowBytes()));

    Value *sourceB = e.offset(planeB.pointer, b.CreateMul(from, planeB.row));
    Value *wholeVectors = e.roundUp(n, lanes);
    // In place, too, the last columns are packed when they are no whole panel.
    auto packB = [&](Value *to) {
      b.CreateCall(packPanels(e, multiply, element, step),
                   {to, sourceB, planeB.row, planeB.column, depth, n});
    };
    Value *panels = e.either(
        bInPlace, [&] { return operands.bScratch; },
        [&] {
          return packed(sourceB, 1, b.CreateMul(wholeVectors, e.number(step * 4)),
                        operands.bScratch, operands.tilesOfB, operands.core, packB);
        });
    Value *height1 = e.roundUp(m, height);
    forEachPanel(e, n, [&](int64_t vectors, Value *column) {
      const int64_t width = vectors * lanes;
      Value *columns = b.CreateSub(n, column);
      Value *panel = e.offset(panels, b.CreateMul(column, e.number(step * 4)));
      Value *source = e.offset(sourceB, b.CreateMul(column, planeB.column));
      Value *here = b.CreateAnd(bInPlace, b.CreateICmpSGE(columns, e.number(width)));
      if (element->isFloatTy())
        e.when(b.CreateAnd(bInPlace, b.CreateNot(here)), [&] {
          b.CreateCall(packPanels(e, multiply, element, step),
                       {panel, source, planeB.row, planeB.column, depth, columns});
        });
      panel = b.CreateSelect(here, source, panel);
      Value *bStep = b.CreateSelect(here, planeB.row, e.number(width * 4));
      Value *accPanel =
          e.offset(operands.acc, b.CreateMul(b.CreateMul(column, e.number(4)), height1));
      e.loop(e.number(0), m, e.number(height), [&](Value *row) {
        b.CreateCall(registerTile(vectors),
                     {e.offset(a, b.CreateMul(row, aRow)), panel,
                      e.offset(accPanel, b.CreateMul(row, e.number(width * 4))), values, aRow,
                      bStep, bytes, row, column, b.CreateSub(m, row), columns, first, last});
      });
    });
  });
}

} // namespace

bool emitProduct(Emitter &e, aicore::ProductOp op, const ProductOperands &operands) {
  return ProductEmitter(e, op).emit(operands);
}

} // namespace mmk
