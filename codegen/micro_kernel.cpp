#include "codegen/micro_kernel.h"

#include "codegen/horizontal_sums.h"
#include "codegen/transfer.h"
#include "jit/lazy.h"

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
  case Multiply::bf16Dot2: {
    Type *pairs = e.vectorOf(builder.getBFloatTy(), 2 * e.target.lanes);
    return builder.CreateIntrinsic(
        Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
        {sum, builder.CreateBitCast(a, pairs), builder.CreateBitCast(b, pairs)});
  }
  case Multiply::int8Dot4: {
    Type *bytes = e.vectorOf(builder.getInt8Ty(), 4 * e.target.lanes);
    Intrinsic::ID id = e.target.lanes == 16 ? Intrinsic::x86_avx512_vpdpbusd_512
                                            : Intrinsic::x86_avx512_vpdpbusd_256;
    return builder.CreateIntrinsic(
        id, {}, {sum, builder.CreateBitCast(a, bytes), builder.CreateBitCast(b, bytes)});
  }
  case Multiply::amxBf16:
  case Multiply::amxInt8:
    break; // of tile registers: emitTileSums
  }
  return nullptr;
}

/// The v-th vector of a step of B, as it is multiplied.
static Value *columnsOf(Emitter &e, const MicroKernel &kernel, Value *step, int64_t v) {
  Type *vector = kernel.sumType(e);
  const int64_t lanes = e.target.lanes;
  if (kernel.stored) {
    Value *at = e.offset(step, v * lanes * e.bytesOf(kernel.stored));
    return e.convert(e.load(e.vectorOf(kernel.stored, lanes), at), vector->getScalarType());
  }
  Value *columns = e.load(vector, e.offset(step, v * lanes * 4));
  return kernel.flips ? e.b.CreateXor(columns, ConstantInt::get(vector, 0x80808080)) : columns;
}

/// Prefetches the lines of a step of B; returns the address of the next one, `step` bytes further.
static Value *prefetchStep(Emitter &e, const MicroKernel &kernel, Value *at, Value *step) {
  const int64_t elementBytes = kernel.stored ? e.bytesOf(kernel.stored) : 4;
  for (int64_t byte = 0; byte < kernel.vectors * e.target.lanes * elementBytes; byte += e.lineBytes)
    e.prefetch(e.offset(at, byte), 3);
  return e.offset(at, step);
}

/// The initial accumulators of a register tile, row by row.
static SmallVector<Value *> initialSums(Emitter &e, const MicroKernel &kernel, int64_t rows,
                                        const Sums &initial) {
  IRBuilder<> &b = e.b;
  Type *vector = kernel.sumType(e);
  const int64_t vectors = kernel.vectors, vectorBytes = e.target.lanes * 4;
  SmallVector<Value *> sums = e.eitherOf(
      initial.fromZero,
      [&] { return SmallVector<Value *>(rows * vectors, Constant::getNullValue(vector)); },
      [&] {
        SmallVector<Value *> loaded;
        Value *from = initial.pointer;
        for (int64_t r = 0; r < rows; ++r, from = e.offset(from, initial.rowBytes))
          for (int64_t v = 0; v < vectors; ++v)
            loaded.push_back(e.load(vector, e.offset(from, v * vectorBytes)));
        return loaded;
      });
  if (initial.offsets)
    for (auto [i, sum] : enumerate(sums)) {
      Value *ofRow = e.load(b.getInt32Ty(), e.offset(initial.offsets, int64_t(i) / vectors * 4));
      sum = b.CreateSub(sum, e.splat(ofRow, e.target.lanes));
    }
  return sums;
}

SmallVector<Value *> emitSums(Emitter &e, const MicroKernel &kernel, Value *a, Value *rowBytes,
                              Value *panel, Value *stride, Value *bytes, const Sums &initial,
                              const LastSteps &last, Value *nextRows, const PanelAhead &ahead) {
  IRBuilder<> &b = e.b;
  Type *vector = kernel.sumType(e);
  const int64_t rows = kernel.rows ? kernel.rows : e.target.rows(), vectors = kernel.vectors;
  SmallVector<Value *> sums = initialSums(e, kernel, rows, initial);
  sums.push_back(panel);
  if (ahead.pointer)
    sums.push_back(ahead.pointer);
  const int64_t panelAt = rows * vectors;
  auto steps = [&](Value *a, Value *rowBytes, Value *bytes, ArrayRef<Value *> before) {
    SmallVector<Value *> carried(before);
    // One pointer for three rows, at 0, 1 and 2 times the row stride: an x86 address can scale that
    // much, and all pointers stay in registers.
    constexpr int64_t rowsOfPointer = 3;
    const int64_t first = carried.size();
    for (int64_t r = 0; r < rows; r += rowsOfPointer)
      carried.push_back(e.offset(a, b.CreateMul(rowBytes, e.number(r))));
    // One step for each iteration: with so many accumulators the loop overhead is hidden.
    Value *quarter = b.CreateLShr(rowBytes, 2);
    SmallVector<Value *> after = e.loop(
        e.number(0), bytes, e.number(4), carried, [&](Value *done, ArrayRef<Value *> values) {
          SmallVector<Value *> next(values);
          // Rows alternate: in the 16 steps of a cache line, each of up to 16 rows is prefetched
          // once.
          if (nextRows) {
            Value *row = b.CreateMul(b.CreateAnd(done, e.number(4 * (rows - 1))), quarter);
            e.prefetch(e.offset(e.offset(nextRows, done), row), 2);
          }
          Value *at = values[panelAt];
          SmallVector<Value *> columns;
          for (int64_t v = 0; v < vectors; ++v)
            columns.push_back(columnsOf(e, kernel, at, v));
          if (ahead.pointer)
            next[panelAt + 1] = prefetchStep(e, kernel, values[panelAt + 1], ahead.step);
          for (int64_t r = 0; r < rows; ++r) {
            Value *pointer = values[first + r / rowsOfPointer];
            if (const int64_t distance = r % rowsOfPointer)
              pointer = e.offset(pointer, b.CreateMul(rowBytes, e.number(distance)));
            Value *spread = e.splat(e.load(vector->getScalarType(), pointer), e.target.lanes);
            for (int64_t v = 0; v < vectors; ++v) {
              Value *&sum = next[r * vectors + v];
              sum = emitMultiply(e, kernel.multiply, columns[v], spread, sum);
            }
          }
          next[panelAt] = e.offset(at, stride);
          for (size_t i = first; i < next.size(); ++i)
            next[i] = kernel.stepOfA ? e.offset(values[i], kernel.stepOfA) : e.offset(values[i], 4);
          return next;
        });
    after.truncate(first);
    return after;
  };
  if (!last.pointer) {
    sums = steps(a, rowBytes, bytes, sums);
  } else {
    // By the same loop.
    Value *parts = b.CreateAdd(last.count, e.number(1));
    sums =
        e.loop(e.number(0), parts, e.number(1), sums, [&](Value *part, ArrayRef<Value *> before) {
          Value *isLast = b.CreateICmpNE(part, e.number(0));
          return steps(b.CreateSelect(isLast, last.pointer, a),
                       b.CreateSelect(isLast, e.number(4), rowBytes),
                       b.CreateSelect(isLast, e.number(4), bytes), before);
        });
  }
  sums.truncate(rows * vectors);
  return sums;
}

// void(ptr a, ptr steps, i64 rowBytes, i64 bytes, i64 rest, i64 rows): loads the last four bytes of
// each row and shifts out those of the step before; zeros follow, and nothing is read beyond the
// row.
static Function *lastStepsOfRows(Emitter &e) {
  return e.helper("last_steps_of_rows", 2, 4, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *steps = f->getArg(1), *rowBytes = f->getArg(2), *bytes = f->getArg(3),
          *rest = f->getArg(4);
    Type *step = b.getInt32Ty();
    Value *missing = b.CreateSub(e.number(4), rest);
    Value *bits = b.CreateTrunc(b.CreateMul(missing, e.number(8)), step);
    Value *ends = e.offset(a, b.CreateSub(bytes, missing));
    e.loop(e.number(0), f->getArg(5), e.number(1), [&](Value *row) {
      Value *from = e.offset(ends, b.CreateMul(row, rowBytes));
      Value *end = b.CreateAlignedLoad(step, from, Align(1));
      e.store(b.CreateLShr(end, bits), e.offset(steps, b.CreateMul(row, e.number(4))));
    });
  });
}

LastSteps emitLastSteps(Emitter &e, Value *a, Value *rowBytes, Value *bytes, Value *rest,
                        int64_t rows) {
  IRBuilder<> &b = e.b;
  Value *hasRest = b.CreateICmpNE(rest, e.number(0));
  const LastSteps last{e.local(ArrayType::get(b.getInt32Ty(), rows)),
                       b.CreateZExt(hasRest, e.i64())};
  e.when(hasRest, [&] {
    b.CreateCall(lastStepsOfRows(e), {a, last.pointer, rowBytes, bytes, rest, e.number(rows)});
  });
  return last;
}

/// The first `count` bytes of a vector in memory, the others zero, by little code on any target.
static Value *loadBytes(Emitter &e, Type *vector, Value *pointer, Value *count) {
  if (e.target.masks())
    return e.loadSome(vector, pointer, count);
  Value *copy = e.local(vector);
  e.store(Constant::getNullValue(vector), copy);
  e.loop(e.number(0), count, e.number(1), [&](Value *i) {
    e.store(e.load(e.b.getInt8Ty(), e.offset(pointer, i)), e.offset(copy, i));
  });
  return e.load(vector, copy);
}

Function *zeroPointCompensation(Emitter &e) {
  return e.helper("offsets_of_rows", 2, 2, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Value *a = f->getArg(0), *offsets = f->getArg(1), *rowBytes = f->getArg(2), *k = f->getArg(3);
    const int64_t rows = e.target.rows(), width = 4 * e.target.lanes;
    Type *vector = e.vectorOf(b.getInt8Ty(), width);
    Value *factor = ConstantInt::get(vector, 0x80);
    SmallVector<Value *> pointers(1, a);
    for (int64_t r = 1; r < rows; ++r)
      pointers.push_back(e.offset(pointers.back(), rowBytes));
    auto add = [&](ArrayRef<Value *> sums, function_ref<Value *(Value *)> load) {
      SmallVector<Value *> next;
      for (int64_t r = 0; r < rows; ++r)
        next.push_back(emitMultiply(e, Multiply::int8Dot4, factor, load(pointers[r]), sums[r]));
      return next;
    };
    Type *ofSums = e.vectorOf(b.getInt32Ty(), e.target.lanes);
    Value *whole = e.roundDown(k, width), *rest = b.CreateSub(k, whole);
    SmallVector<Value *> sums =
        e.loop(e.number(0), whole, e.number(width),
               SmallVector<Value *>(rows, Constant::getNullValue(ofSums)),
               [&](Value *at, ArrayRef<Value *> sums) {
                 return add(sums, [&](Value *row) { return e.load(vector, e.offset(row, at)); });
               });
    sums = e.eitherOf(
        b.CreateICmpEQ(rest, e.number(0)), [&] { return sums; },
        [&] {
          return add(sums,
                     [&](Value *row) { return loadBytes(e, vector, e.offset(row, whole), rest); });
        });
    for (int64_t r = 0; r < rows; r += 4) {
      const int64_t count = std::min<int64_t>(4, rows - r);
      Value *four = horizontalSums(e, ArrayRef(sums).slice(r, count));
      for (int64_t i = 0; i < count; ++i)
        e.store(b.CreateExtractElement(four, i), e.offset(offsets, (r + i) * 4));
    }
  });
}

namespace {

constexpr int64_t widestPanel = CodeTarget::vectors;

/// Vectors of so many columns.
Value *vectorsOf(Emitter &e, Value *columns) {
  const int64_t lanes = e.target.lanes;
  return e.b.CreateAShr(e.roundUp(columns, lanes), e.number(Log2_64(lanes)));
}

/// Vectors of the next panel when `left` are left: the last four are two panels of two; else panels
/// of three, and the remainder.
Value *nextPanel(Emitter &e, Value *left) {
  static_assert(widestPanel == 3, "the last four vectors are two panels of two");
  return e.b.CreateSelect(e.b.CreateICmpEQ(left, e.number(widestPanel + 1)), e.number(2),
                          e.min(left, e.number(widestPanel)));
}

} // namespace

void forEachRun(Emitter &e, Value *columns, Value *alone,
                function_ref<void(const PanelRun &)> body) {
  IRBuilder<> &b = e.b;
  const int64_t lanes = e.target.lanes;
  Value *all = vectorsOf(e, columns);
  Value *splitsRagged = b.CreateAnd(alone, b.CreateICmpNE(columns, e.roundDown(columns, lanes)));
  e.loopWhile(e.number(0), all, [&](Value *done) {
    Value *left = b.CreateSub(all, done), *vectors = nextPanel(e, left);
    // Panels of three are followed by none, one of two, or two of two.
    Value *rest = b.CreateURem(left, e.number(widestPanel));
    Value *isFour = b.CreateICmpEQ(rest, e.number(1));
    Value *threes = b.CreateSub(left, b.CreateSelect(isFour, e.number(widestPanel + 1), rest));
    Value *taken = b.CreateSelect(b.CreateICmpSGT(threes, e.number(0)), threes, left);
    Value *next = b.CreateAdd(done, taken);
    Value *splits =
        b.CreateAnd({splitsRagged, b.CreateICmpEQ(next, all), b.CreateICmpSGT(taken, vectors)});
    next = b.CreateSelect(splits, b.CreateSub(next, vectors), next);
    body({vectors, b.CreateMul(done, e.number(lanes)), b.CreateMul(next, e.number(lanes))});
    return next;
  });
}

void forEachPanel(Emitter &e, Value *columns, function_ref<void(Value *, Value *)> body) {
  Value *all = vectorsOf(e, columns);
  e.loopWhile(e.number(0), all, [&](Value *done) {
    Value *vectors = nextPanel(e, e.b.CreateSub(all, done));
    body(vectors, e.b.CreateMul(done, e.number(e.target.lanes)));
    return e.b.CreateAdd(done, vectors);
  });
}

Value *ofWidth(Emitter &e, Value *vectors, function_ref<Function *(int64_t)> function) {
  Value *found = function(1);
  for (int64_t width = 2; width <= CodeTarget::vectors; ++width)
    found = e.b.CreateSelect(e.b.CreateICmpEQ(vectors, e.number(width)), function(width), found);
  return found;
}

// void(ptr a, ptr panel, ptr acc, i64 m, i64 bytes, i1 first): one panel of B is resident in L1
// while all rows of A are streamed. Where the accumulator is not padded, an i64 comes after
// `bytes`: the columns of the panel.
static Function *mmadPanel(Emitter &e, const MicroKernel &kernel, const std::string &name,
                           int64_t tileN, int64_t tileK, bool isPadded) {
  IRBuilder<> &b = e.b;
  return e.helper(
      name + "_" + std::to_string(kernel.vectors), 3, isPadded ? 2 : 3, {b.getInt1Ty()},
      [&](Function *f) {
        markLazy(*f);
        const int64_t height = e.target.rows(), vectors = kernel.vectors,
                      vectorBytes = e.target.lanes * 4;
        Value *m = f->getArg(3), *first = f->getArg(f->arg_size() - 1);
        e.loop(e.number(0), m, e.number(height), [&](Value *row) {
          Value *a = e.offset(f->getArg(0), b.CreateMul(row, e.number(tileK * 4)));
          Value *acc = e.offset(f->getArg(2), b.CreateMul(row, e.number(tileN * 4)));
          auto multiplyInto = [&](Value *sumsAt, int64_t rowBytes) {
            SmallVector<Value *> sums = emitSums(e, kernel, a, e.number(tileK * 4), f->getArg(1),
                                                 e.number(vectors * vectorBytes), f->getArg(4),
                                                 {sumsAt, e.number(rowBytes), first});
            for (auto [i, sum] : enumerate(sums))
              e.store(sum, e.offset(sumsAt, i / vectors * rowBytes + i % vectors * vectorBytes));
          };
          if (isPadded)
            return multiplyInto(acc, tileN * 4);
          // In a register tile of its own, of which the part that exists is copied.
          Value *tile = e.local(ArrayType::get(kernel.sumType(e), height * vectors));
          Value *tileBytes = e.number(vectors * vectorBytes), *accBytes = e.number(tileN * 4);
          Value *rows = e.min(e.number(height), b.CreateSub(m, row)), *columns = f->getArg(5);
          Type *element = kernel.sumType(e)->getScalarType();
          Function *copy = copyRows(e, element, element);
          e.when(b.CreateNot(first),
                 [&] { b.CreateCall(copy, {tile, acc, tileBytes, accBytes, rows, columns}); });
          multiplyInto(tile, vectors * vectorBytes);
          b.CreateCall(copy, {acc, tile, accBytes, tileBytes, rows, columns});
        });
      });
}

Function *mmadFunction(Emitter &e, Multiply multiply, int64_t tileN, int64_t tileK, bool isPadded) {
  IRBuilder<> &b = e.b;
  std::string name = "mmad_" + std::string(multiply == Multiply::f32 ? "f32" : "i32") + "_" +
                     std::to_string(tileN) + "x" + std::to_string(tileK) +
                     (isPadded ? "" : "_ragged");
  auto ofPanel = [&](int64_t vectors) {
    return mmadPanel(e, {multiply, vectors}, name, tileN, tileK, isPadded);
  };
  return e.helper(name, 3, 3, {b.getInt1Ty()}, [&](Function *f) {
    Value *a = f->getArg(0), *panels = f->getArg(1), *acc = f->getArg(2);
    Value *m = f->getArg(3), *n = f->getArg(4), *bytes = b.CreateMul(f->getArg(5), e.number(4));
    forEachPanel(e, n, [&](Value *vectors, Value *column) {
      Value *panel = e.offset(panels, b.CreateMul(column, e.number(tileK * 4)));
      Value *function = ofWidth(e, vectors, ofPanel);
      SmallVector<Value *> arguments = {a, panel, e.offset(acc, b.CreateMul(column, e.number(4))),
                                        m, bytes};
      if (!isPadded)
        arguments.push_back(
            e.min(b.CreateMul(vectors, e.number(e.target.lanes)), b.CreateSub(n, column)));
      arguments.push_back(f->getArg(6));
      b.CreateCall(ofPanel(1)->getFunctionType(), function, arguments);
    });
  });
}

} // namespace mmk
