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

namespace {

/// A constant of that many bytes, for the whole module.
Value *zeros(Emitter &e, int64_t bytes) {
  const std::string name = "zeros_" + std::to_string(bytes);
  if (GlobalVariable *known = e.module.getGlobalVariable(name, /*AllowInternal=*/true))
    return known;
  Type *type = ArrayType::get(e.b.getInt8Ty(), bytes);
  auto *variable =
      new GlobalVariable(e.module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                         Constant::getNullValue(type), name);
  variable->setAlignment(Align(64));
  return variable;
}

} // namespace

SmallVector<Value *> emitSums(Emitter &e, const MicroKernel &kernel, ArrayRef<Value *> rows,
                              Value *panel, Value *stride, Value *bytes, const Sums &initial,
                              const Following &following) {
  IRBuilder<> &b = e.b;
  Type *vector = kernel.sumType(e);
  const int64_t vectors = kernel.vectors, vectorBytes = e.target.lanes * 4;
  // One row of zeros, read for each row of sums, costs less code than a branch around two
  // beginnings.
  Value *from = b.CreateSelect(initial.fromZero, zeros(e, vectors * vectorBytes), initial.pointer);
  Value *fromRow = b.CreateSelect(initial.fromZero, e.number(0), initial.rowBytes);
  SmallVector<Value *> carried;
  for (size_t r = 0; r < rows.size(); ++r, from = e.offset(from, fromRow))
    for (int64_t v = 0; v < vectors; ++v)
      carried.push_back(e.load(vector, e.offset(from, v * vectorBytes)));
  if (kernel.multiply == Multiply::bytes) {
    for (auto [i, sum] : enumerate(carried))
      sum = b.CreateAdd(sum, e.load(vector, e.offset(panel, i % vectors * vectorBytes)));
    panel = e.offset(panel, vectors * vectorBytes);
  }
  carried.push_back(panel);
  // B comes from the second-level cache; asked for this many steps ahead, it is
  // there in time also where the hardware's prefetcher starts anew with each panel.
  constexpr int64_t ahead = 16;
  Value *fetched = b.CreateMul(stride, e.number(ahead));
  // One step an iteration: with so many sums the loop's own instructions fit beside them.
  SmallVector<Value *> sums =
      e.loop(e.number(0), bytes, e.number(4), carried, [&](Value *k, ArrayRef<Value *> values) {
        SmallVector<Value *> next(values);
        Value *at = values.back();
        SmallVector<Value *> columns;
        for (int64_t v = 0; v < vectors; ++v)
          columns.push_back(e.load(vector, e.offset(at, v * vectorBytes)));
        for (auto [r, row] : enumerate(rows)) {
          Value *element = e.load(vector->getScalarType(), e.offset(row, k));
          Value *spread = e.splat(element, e.target.lanes);
          for (int64_t v = 0; v < vectors; ++v) {
            Value *&sum = next[r * vectors + v];
            sum = emitMultiply(e, kernel.multiply, spread, columns[v], sum);
          }
        }
        for (int64_t line = 0; line < vectors * vectorBytes; line += 64)
          e.prefetch(e.offset(e.offset(at, fetched), line));
        if (following.rows)
          e.prefetch(e.offset(following.rows, b.CreateMul(k, e.number(rows.size()))));
        if (following.panel)
          e.prefetch(e.offset(following.panel, b.CreateMul(k, e.number(following.panelBytes / 4))),
                     2);
        next.back() = e.offset(at, stride);
        return next;
      });
  sums.pop_back();
  return sums;
}

void forEachPanel(Emitter &e, Value *columns, function_ref<void(Value *, Value *)> body) {
  IRBuilder<> &b = e.b;
  const int64_t lanes = e.target.lanes, widest = CodeTarget::vectors;
  static_assert(widest == 3, "what is left over is shared for three");
  Value *all = b.CreateAShr(e.roundUp(columns, lanes), e.number(Log2_64(lanes)));
  e.loopWhile(e.number(0), all, [&](Value *done) {
    // Of the last four vectors two panels of two; else threes, and what remains.
    Value *left = b.CreateSub(all, done);
    Value *vectors = b.CreateSelect(b.CreateICmpEQ(left, e.number(widest + 1)), e.number(2),
                                    e.min(left, e.number(widest)));
    body(vectors, b.CreateMul(done, e.number(lanes)));
    return b.CreateAdd(done, vectors);
  });
}

Value *ofWidth(Emitter &e, Value *vectors, function_ref<Function *(int64_t)> function) {
  Value *found = function(1);
  for (int64_t width = 2; width <= CodeTarget::vectors; ++width)
    found = e.b.CreateSelect(e.b.CreateICmpEQ(vectors, e.number(width)), function(width), found);
  return found;
}

Function *mmadFunction(Emitter &e, Multiply multiply, int64_t tileN, int64_t tileK) {
  IRBuilder<> &b = e.b;
  std::string name = "mmad_" + std::string(multiply == Multiply::f32 ? "f32" : "i32") + "_" +
                     std::to_string(tileN) + "x" + std::to_string(tileK);
  // void(ptr a, ptr panel, ptr acc, i64 m, i64 bytes, i1 first): one panel of B stays in the
  // first-level cache while all rows of A pass by.
  auto ofPanel = [&](int64_t vectors) {
    return e.helper(name + "_" + std::to_string(vectors), 3, 2, {b.getInt1Ty()}, [&](Function *f) {
      const int64_t height = e.target.rows(), vectorBytes = e.target.lanes * 4;
      e.loop(e.number(0), f->getArg(3), e.number(height), [&](Value *row) {
        Value *a = e.offset(f->getArg(0), b.CreateMul(row, e.number(tileK * 4)));
        Value *acc = e.offset(f->getArg(2), b.CreateMul(row, e.number(tileN * 4)));
        SmallVector<Value *> rows;
        for (int64_t r = 0; r < height; ++r)
          rows.push_back(e.offset(a, r * tileK * 4));
        SmallVector<Value *> sums =
            emitSums(e, {multiply, vectors}, rows, f->getArg(1), e.number(vectors * vectorBytes),
                     f->getArg(4), {acc, e.number(tileN * 4), f->getArg(5)});
        for (auto [i, sum] : enumerate(sums))
          e.store(sum, e.offset(acc, i / vectors * tileN * 4 + i % vectors * vectorBytes));
      });
    });
  };
  return e.helper(name, 3, 3, {b.getInt1Ty()}, [&](Function *f) {
    Value *a = f->getArg(0), *panels = f->getArg(1), *acc = f->getArg(2);
    Value *m = f->getArg(3), *n = f->getArg(4), *bytes = b.CreateMul(f->getArg(5), e.number(4));
    forEachPanel(e, n, [&](Value *vectors, Value *column) {
      Value *panel = e.offset(panels, b.CreateMul(column, e.number(tileK * 4)));
      b.CreateCall(
          ofPanel(1)->getFunctionType(), ofWidth(e, vectors, ofPanel),
          {a, panel, e.offset(acc, b.CreateMul(column, e.number(4))), m, bytes, f->getArg(6)});
    });
  });
}

} // namespace mmk
