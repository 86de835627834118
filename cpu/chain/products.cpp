#include "cpu/chain/products.h"

#include "jit/lazy.h"

using namespace llvm;

namespace mmk {

Function *sumsOfGroup(Emitter &e, Multiply multiply, int64_t vectors) {
  const std::string name =
      std::string("chain_") + (isBf16(multiply) ? "bf16_" : "f32_") + std::to_string(vectors);
  return e.helper(name, 3, 3, {e.b.getInt1Ty()}, [&](Function *f) {
    markLazy(*f);
    IRBuilder<> &b = e.b;
    Value *aRow = f->getArg(3), *sumRow = f->getArg(4), *bytes = f->getArg(5),
          *first = f->getArg(6);
    const int64_t lanes = e.target.lanes, height = e.target.rows(), width = vectors * lanes;
    e.loop(e.number(0), e.number(lanes), e.number(height), [&](Value *row) {
      Value *a = e.offset(f->getArg(0), b.CreateMul(row, aRow));
      Value *to = e.offset(f->getArg(2), b.CreateMul(row, sumRow));
      const SmallVector<Value *> sums = emitSums(e, {multiply, vectors}, a, aRow, f->getArg(1),
                                                 e.number(width * 4), bytes, {to, sumRow, first});
      for (int64_t r = 0; r < height; ++r, to = e.offset(to, sumRow))
        for (int64_t v = 0; v < vectors; ++v)
          e.store(sums[r * vectors + v], e.offset(to, v * lanes * 4));
    });
  });
}

void emitGroupProduct(Emitter &e, Multiply multiply, const GroupProduct &product) {
  IRBuilder<> &b = e.b;
  forEachPanel(e, product.packed, [&](Value *vectors, Value *column) {
    Value *width = b.CreateMul(vectors, e.number(e.target.lanes));
    Value *isWanted = b.CreateAnd(b.CreateICmpSLT(column, product.columns),
                                  b.CreateICmpSGT(b.CreateAdd(column, width), product.from));
    e.when(isWanted, [&] {
      auto ofPanel = [&](int64_t width) { return sumsOfGroup(e, multiply, width); };
      Value *panel = e.offset(product.panels, b.CreateMul(column, product.columnBytes));
      panel = e.offset(panel, b.CreateMul(product.skipped, width));
      b.CreateCall(ofPanel(1)->getFunctionType(), ofWidth(e, vectors, ofPanel),
                   {product.a, panel, e.offset(product.sums, b.CreateMul(column, e.number(4))),
                    product.aRow, product.sumRow, product.bytes, product.first});
    });
  });
}

Function *prefetchLines(Emitter &e) {
  return e.helper("chain_prefetch", 1, 4, {}, [&](Function *f) {
    e.loop(f->getArg(3), f->getArg(4), e.number(1), [&](Value *row) {
      Value *from = e.offset(f->getArg(0), e.b.CreateMul(row, f->getArg(1)));
      e.loop(e.number(0), f->getArg(2), e.number(Emitter::lineBytes),
             [&](Value *byte) { e.prefetch(e.offset(from, byte), /*level=*/2); });
    });
  });
}

Function *findNonFinite(Emitter &e, Multiply multiply) {
  const bool isNarrow = isBf16(multiply);
  return e.helper(isNarrow ? "non_finite_bf16" : "non_finite_f32", 2, 1, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Type *vector = isNarrow ? e.vectorOf(b.getInt16Ty(), 2 * e.target.lanes)
                            : e.vectorOf(b.getInt32Ty(), e.target.lanes);
    Value *exponent = ConstantInt::get(vector, isNarrow ? 0x7f80 : 0x7f800000);
    Value *some =
        e.loop(e.number(0), f->getArg(2), e.number(4 * e.target.lanes),
               {Constant::getNullValue(vector)}, [&](Value *at, ArrayRef<Value *> before) {
                 Value *bits = e.load(vector, e.offset(f->getArg(1), at));
                 Value *is = b.CreateICmpEQ(b.CreateAnd(bits, exponent), exponent);
                 return SmallVector<Value *>{b.CreateOr(before[0], b.CreateSExt(is, vector))};
               })[0];
    Value *any = b.CreateUnaryIntrinsic(Intrinsic::vector_reduce_or, some);
    Value *is = b.CreateICmpNE(any, Constant::getNullValue(any->getType()));
    e.store(b.CreateZExt(is, b.getInt8Ty()), f->getArg(0));
  });
}

Function *addWithoutExcluded(Emitter &e, Type *weight, Type *element) {
  const std::string name =
      "chain_exact_" + Emitter::nameOf(weight) + "_" + Emitter::nameOf(element);
  return e.helper(name, 3, 7, {e.b.getInt1Ty()}, [&](Function *f) {
    e.finishCold(f);
    markLazy(*f);
    IRBuilder<> &b = e.b;
    Value *weights = f->getArg(0), *v = f->getArg(1), *sums = f->getArg(2),
          *weightRow = f->getArg(3), *vRow = f->getArg(4), *vColumn = f->getArg(5),
          *sumRow = f->getArg(6);
    e.loop(e.number(0), f->getArg(7), e.number(1), [&](Value *row) {
      Value *ofRow = e.offset(weights, b.CreateMul(row, weightRow));
      Value *to = e.offset(sums, b.CreateMul(row, sumRow));
      e.loop(e.number(0), f->getArg(8), e.number(1), [&](Value *j) {
        Value *at = e.offset(ofRow, b.CreateMul(j, e.number(e.bytesOf(weight))));
        Type *bits = b.getIntNTy(weight->getScalarSizeInBits());
        Value *loaded = e.load(bits, at);
        Value *isExcluded = b.CreateICmpEQ(
            loaded, ConstantInt::get(bits, APInt::getSignMask(bits->getIntegerBitWidth())));
        e.when(b.CreateNot(b.CreateAnd(f->getArg(10), isExcluded)), [&] {
          Value *w = e.convert(b.CreateBitCast(loaded, weight), e.f32());
          Value *from = e.offset(v, b.CreateMul(j, vRow));
          e.loop(e.number(0), f->getArg(9), e.number(1), [&](Value *c) {
            Value *x = e.convert(e.load(element, e.offset(from, b.CreateMul(c, vColumn))), e.f32());
            Value *sum = e.offset(to, b.CreateMul(c, e.number(4)));
            e.store(b.CreateFAdd(e.load(e.f32(), sum), b.CreateFMul(w, x)), sum);
          });
        });
      });
    });
  });
}

} // namespace mmk
