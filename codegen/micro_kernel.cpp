#include "codegen/micro_kernel.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace mmk {

Value *emitMultiply(Emitter &e, Multiply multiply, Value *a, Value *b, Value *sum) {
  IRBuilder<> &builder = e.b;
  switch (multiply) {
  case Multiply::f32:
    if (e.target.fusedMultiplyAdd)
      return builder.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {a, b, sum});
    return builder.CreateFAdd(sum, builder.CreateFMul(a, b));
  case Multiply::i32:
    return builder.CreateAdd(sum, builder.CreateMul(a, b));
  case Multiply::bytes: {
    Type *bytes = e.vectorOf(builder.getInt8Ty(), 4 * e.target.lanes);
    Intrinsic::ID id = e.target.lanes == 16 ? Intrinsic::x86_avx512_vpdpbusd_512
                                            : Intrinsic::x86_avx512_vpdpbusd_256;
    return builder.CreateIntrinsic(
        id, {}, {sum, builder.CreateBitCast(a, bytes), builder.CreateBitCast(b, bytes)});
  }
  }
  return nullptr;
}

SmallVector<Value *> emitSums(Emitter &e, const MicroKernel &kernel, ArrayRef<Value *> rows,
                              Value *panel, Value *stride, Value *bytes,
                              ArrayRef<Value *> initial) {
  IRBuilder<> &b = e.b;
  Type *vector = kernel.sumType(e);
  const int64_t vectors = kernel.vectors;
  auto step = [&](SmallVectorImpl<Value *> &sums, Value *k, int64_t ahead, Value *at) {
    SmallVector<Value *> columns;
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(e.load(vector, e.offset(at, v * e.target.lanes * 4)));
    for (auto [r, row] : enumerate(rows)) {
      Value *element = e.load(vector->getScalarType(), e.offset(e.offset(row, k), ahead * 4));
      Value *spread = e.splat(element, e.target.lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        Value *&sum = sums[r * vectors + v];
        sum = emitMultiply(e, kernel.multiply, spread, columns[v], sum);
      }
    }
  };
  // B comes from the second-level cache; asked for this many steps ahead, it is
  // there in time also where the hardware's prefetcher starts anew with each panel.
  constexpr int64_t ahead = 16;
  Value *fetched = b.CreateMul(stride, e.number(ahead));
  auto prefetch = [&](Value *at) {
    for (int64_t line = 0; line < vectors * e.target.lanes * 4; line += 64)
      e.prefetch(e.offset(e.offset(at, fetched), line));
  };
  // Four steps an iteration: the loop's own instructions are then lost among them.
  constexpr int64_t unroll = 4;
  SmallVector<Value *> carried(initial);
  carried.push_back(panel);
  auto advance = [&](int64_t steps, Value *from, Value *to, ArrayRef<Value *> start) {
    return e.loop(from, to, e.number(4 * steps), start, [&](Value *k, ArrayRef<Value *> values) {
      SmallVector<Value *> next(values.drop_back());
      Value *at = values.back();
      for (int64_t i = 0; i < steps; ++i) {
        step(next, k, i, at);
        if (steps > 1)
          prefetch(at);
        at = e.offset(at, stride);
      }
      next.push_back(at);
      return next;
    });
  };
  Value *main = e.roundDown(bytes, 4 * unroll);
  SmallVector<Value *> sums = advance(1, main, bytes, advance(unroll, e.number(0), main, carried));
  sums.pop_back();
  return sums;
}

void forEachPanel(Emitter &e, Value *columns, function_ref<void(int64_t, Value *)> body) {
  IRBuilder<> &b = e.b;
  const int64_t lanes = e.target.lanes, widest = CodeTarget::vectors;
  static_assert(widest == 3, "what is left over is shared for three");
  Value *all = b.CreateAShr(e.roundUp(columns, lanes), e.number(Log2_64(lanes)));
  // Of the last four vectors two panels of two; else threes, and what remains.
  Value *remainder = b.CreateURem(all, e.number(widest));
  Value *pairs = b.CreateICmpEQ(remainder, e.number(1));
  Value *enough = b.CreateICmpSGE(all, e.number(4));
  Value *threes =
      b.CreateSub(b.CreateSub(all, remainder),
                  b.CreateSelect(b.CreateAnd(pairs, enough), e.number(widest), e.number(0)));
  auto run = [&](int64_t vectors, Value *from, Value *to) {
    e.loop(b.CreateMul(from, e.number(lanes)), b.CreateMul(to, e.number(lanes)),
           e.number(vectors * lanes), [&](Value *column) { body(vectors, column); });
  };
  run(3, e.number(0), threes);
  Value *twos = e.roundDown(b.CreateSub(all, threes), 2);
  run(2, threes, b.CreateAdd(threes, twos));
  run(1, b.CreateAdd(threes, twos), all);
}

Function *mmadFunction(Emitter &e, Multiply multiply, int64_t tileN, int64_t tileK) {
  std::string name = "mmad_" + std::string(multiply == Multiply::f32 ? "f32" : "i32") + "_" +
                     std::to_string(tileN) + "x" + std::to_string(tileK);
  auto registerTile = [&](int64_t vectors) {
    return e.helper(
        name + "_" + std::to_string(vectors), 3, 2, {e.b.getInt1Ty()}, [&](Function *f) {
          Value *a = f->getArg(0), *panel = f->getArg(1), *acc = f->getArg(2),
                *bytes = f->getArg(3), *first = f->getArg(5);
          const MicroKernel kernel{multiply, vectors};
          Type *vector = kernel.sumType(e);
          SmallVector<Value *> rows, sums;
          const int64_t count = e.target.rows();
          auto at = [&](int64_t i) {
            return e.offset(acc, (i / vectors * tileN + i % vectors * e.target.lanes) * 4);
          };
          for (int64_t r = 0; r < count; ++r)
            rows.push_back(e.offset(a, r * tileK * 4));
          BasicBlock *before = e.b.GetInsertBlock(), *from = nullptr;
          SmallVector<Value *> loaded;
          e.when(e.b.CreateNot(first), [&] {
            for (int64_t i = 0; i < count * vectors; ++i)
              loaded.push_back(e.load(vector, at(i)));
            from = e.b.GetInsertBlock();
          });
          for (Value *value : loaded) {
            PHINode *phi = e.b.CreatePHI(vector, 2);
            phi->addIncoming(Constant::getNullValue(vector), before);
            phi->addIncoming(value, from);
            sums.push_back(phi);
          }
          sums =
              emitSums(e, kernel, rows, panel, e.number(vectors * e.target.lanes * 4), bytes, sums);
          for (int64_t i = 0; i < count * vectors; ++i)
            e.store(sums[i], at(i));
        });
  };
  return e.helper(name, 3, 3, {e.b.getInt1Ty()}, [&](Function *f) {
    Value *a = f->getArg(0), *b = f->getArg(1), *acc = f->getArg(2);
    Value *m = f->getArg(3), *n = f->getArg(4), *bytes = e.b.CreateMul(f->getArg(5), e.number(4));
    // One panel of B stays in the first-level cache while all rows of A pass by.
    forEachPanel(e, n, [&](int64_t vectors, Value *column) {
      Value *panel = e.offset(b, e.b.CreateMul(column, e.number(tileK * 4)));
      e.loop(e.number(0), m, e.number(e.target.rows()), [&](Value *row) {
        Value *rows = e.offset(a, e.b.CreateMul(row, e.number(tileK * 4)));
        Value *at = e.b.CreateMul(e.plus(column, row, tileN), e.number(4));
        e.b.CreateCall(registerTile(vectors),
                       {rows, panel, e.offset(acc, at), bytes, e.number(0), f->getArg(6)});
      });
    });
  });
}

} // namespace mmk
