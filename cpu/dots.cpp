#include "cpu/dots.h"

#include "codegen/horizontal_sums.h"
#include "codegen/pack.h"
#include "cpu/tuning.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

/// Numbers of columns of a pass over the rows: columns are padded with zeros to the next number.
/// More columns take another pass.
constexpr unsigned passes[] = {1, 4, 8};
constexpr int64_t widest = 8;
/// Sums of a row that are reduced and stored at once.
constexpr unsigned together = 4;

/// Reading is the bound, so dot products of two bf16 gain nothing.
Multiply multiplyOfDots(const CodeTarget &target, Type *element) {
  const Multiply multiply = multiplyOf(target, element);
  return multiply == Multiply::bf16Dot2 ? Multiply::f32 : multiply;
}

class Dots {
public:
  Dots(Emitter &e, Type *element)
      : e(e), b(e.b), tuning(e.target), element(element),
        multiply(multiplyOfDots(e.target, element)) {}

  /// Elements of a row in one step along k; bytes of them, and of their factors.
  int64_t step() { return e.target.lanes * (multiply == Multiply::int8Dot4 ? 4 : 1); }
  int64_t stepBytes() { return step() * e.bytesOf(element); }
  int64_t packedStep() { return e.target.lanes * 4; }
  Type *packed() { return multiply == Multiply::int8Dot4 ? element : e.f32(); }
  Type *sum() { return MicroKernel{multiply, 1}.sumType(e)->getScalarType(); }
  /// Rows at a time: their sums fill the registers. One column is bound by reading instead: in f32,
  /// eight rows are a twelfth faster than four on Zen 4.
  int64_t mostSums() { return e.target.registers >= 32 ? 24 : 8; }
  int64_t rows(unsigned columns) {
    if (columns > 1)
      return mostSums() / columns;
    return e.target.longStreams && element->isFloatTy() ? 2 * together : together;
  }
  bool goesRowByRow(unsigned columns) {
    return columns == 1 && e.target.longStreams && !element->isFloatTy();
  }
  int64_t mostRows() { return std::max(rows(1), rows(together)); }

  Function *function();
  void emitOffsets(Value *columns, Value *columnBytes, Value *count, Value *depth, Value *offsets);

private:
  Value *add(Value *x, Value *y) {
    return multiply == Multiply::int8Dot4 ? b.CreateAdd(x, y) : b.CreateFAdd(x, y);
  }
  /// The state of a pass over some rows.
  struct Pass {
    Value *rows, *rowBytes;       ///< whole steps, in place
    Value *lastSteps;             ///< and the rest of each row, padded with zeros to a whole step
    Value *wholeSteps, *hasLast;  ///< how many of each
    Value *columns, *columnBytes; ///< packed
    Value *lanes;                 ///< destination of the sums, a vector each
  };
  void keepLastSteps(Value *rows, Value *count, Value *rowBytes, Value *whole, Value *rest,
                     Value *to);
  void emitPass(const Pass &pass, unsigned columns);
  void emitRowByRow(const Pass &pass);
  Value *factor(Value *ofRow);
  void emitSums(Value *lanes, Value *rows, Value *columns, Value *sumRow, Value *offsets,
                Value *before, Value *sums);

  Emitter &e;
  IRBuilder<> &b;
  const CpuTuning tuning;
  Type *element;
  Multiply multiply;
};

// The rest of each row after whole steps, copied to a buffer: nothing is read beyond a row, and no
// second loop is needed.
void Dots::keepLastSteps(Value *rows, Value *count, Value *rowBytes, Value *whole, Value *rest,
                         Value *to) {
  Type *vector = e.vectorOf(element, step());
  const int64_t size = e.bytesOf(element);
  e.loop(e.number(0), count, e.number(1), [&](Value *row) {
    Value *from = e.offset(rows, e.plus(b.CreateMul(row, rowBytes), whole, size));
    Value *place = e.offset(to, b.CreateMul(row, e.number(stepBytes())));
    if (e.target.masks()) {
      e.store(e.loadSome(vector, from, rest), place);
      return;
    }
    e.store(Constant::getNullValue(vector), place);
    e.loop(e.number(0), rest, e.number(1), [&](Value *i) {
      Value *at = b.CreateMul(i, e.number(size));
      e.store(e.load(element, e.offset(from, at)), e.offset(place, at));
    });
  });
}

/// A vector of a row, converted for the multiplication.
Value *Dots::factor(Value *ofRow) {
  return multiply == Multiply::int8Dot4
             ? b.CreateXor(ofRow, ConstantInt::get(ofRow->getType(), 0x80))
             : e.convert(ofRow, e.f32());
}

// With one column, one row after the other: A is read as one stream. That of f16 and bf16 is
// prefetched some rows ahead, as the hardware prefetcher alone varies from run to run; and again
// closer to its use, as prefetches are dropped when the fill buffers are full. Bytes, which are
// fewer, are read faster without. For f32 several rows at a time are better.
void Dots::emitRowByRow(const Pass &pass) {
  Type *vector = e.vectorOf(element, step()), *sums = e.vectorOf(sum(), e.target.lanes);
  auto withProduct = [&](Value *sum, Value *row, Value *column) {
    return emitMultiply(e, multiply, factor(e.load(vector, row)), e.load(sums, column), sum);
  };
  auto columnAt = [&](Value *step) {
    return e.offset(pass.columns, b.CreateMul(step, e.number(packedStep())));
  };
  // As many as saturate the memory bandwidth.
  const unsigned sumsOfRow = multiply == Multiply::int8Dot4 ? 2 : 4;
  Value *ahead =
      b.CreateMul(pass.rowBytes, e.ceilDiv(e.number(tuning.dotPrefetchBytes), pass.rowBytes));
  Value *farAhead = b.CreateShl(ahead, 1);
  e.loop(e.number(0), e.number(rows(1)), e.number(1), [&](Value *row) {
    Value *start = e.offset(pass.rows, b.CreateMul(row, pass.rowBytes));
    // As many steps as accumulators, each with its own.
    auto steps = [&](Value *step, ArrayRef<Value *> before) {
      Value *ofRow = e.offset(start, b.CreateMul(step, e.number(stepBytes())));
      Value *ofColumn = columnAt(step);
      SmallVector<Value *> next;
      for (size_t i = 0; i < before.size() && multiply != Multiply::int8Dot4; ++i)
        e.prefetch(e.offset(e.offset(ofRow, i % 2 ? farAhead : ahead), i * stepBytes()), 2);
      for (auto [i, sum] : enumerate(before))
        next.push_back(withProduct(sum, e.offset(ofRow, i * stepBytes()),
                                   e.offset(ofColumn, i * packedStep())));
      return next;
    };
    const SmallVector<Value *> zeros(sumsOfRow, Constant::getNullValue(sums));
    Value *main = e.roundDown(pass.wholeSteps, sumsOfRow);
    SmallVector<Value *> parts = e.loop(e.number(0), main, e.number(sumsOfRow), zeros, steps);
    parts[0] = e.loop(main, pass.wholeSteps, e.number(1), {parts[0]}, steps)[0];
    parts[0] = e.loop(
        e.number(0), pass.hasLast, e.number(1), {parts[0]}, [&](Value *, ArrayRef<Value *> sum) {
          Value *last = e.offset(pass.lastSteps, b.CreateMul(row, e.number(stepBytes())));
          return SmallVector<Value *>{withProduct(sum[0], last, columnAt(pass.wholeSteps))};
        })[0];
    for (Value *part : ArrayRef(parts).drop_front())
      parts[0] = add(parts[0], part);
    e.store(parts[0], e.offset(pass.lanes, b.CreateMul(row, e.number(packedStep()))));
  });
}

void Dots::emitPass(const Pass &pass, unsigned columns) {
  if (goesRowByRow(columns))
    return emitRowByRow(pass);
  const int64_t rows = this->rows(columns);
  Type *sums = e.vectorOf(sum(), e.target.lanes);
  // One pointer for three rows, at 0, 1 and 2 times the stride, which an x86 address can scale by.
  constexpr int64_t ofPointer = 3;
  auto pointers = [&](Value *first, Value *distance, int64_t count, SmallVectorImpl<Value *> &to) {
    for (int64_t i = 0; i < count; i += ofPointer)
      to.push_back(e.offset(first, b.CreateMul(distance, e.number(i))));
  };
  auto at = [&](ArrayRef<Value *> pointers, Value *distance, int64_t i) {
    Value *pointer = pointers[i / ofPointer];
    return i % ofPointer ? e.offset(pointer, b.CreateMul(distance, e.number(i % ofPointer)))
                         : pointer;
  };
  // First whole steps, then the last ones, by the same loop.
  SmallVector<Value *> zeros(rows * columns, Constant::getNullValue(sums));
  auto part = [&](Value *isLast, ArrayRef<Value *> before) {
    Value *rowBytes = b.CreateSelect(isLast, e.number(stepBytes()), pass.rowBytes);
    Value *steps = b.CreateSelect(isLast, pass.hasLast, pass.wholeSteps);
    Value *skipped = b.CreateSelect(isLast, pass.wholeSteps, e.number(0));
    SmallVector<Value *> carried(before);
    const size_t ofRows = carried.size();
    Value *firstRow = b.CreateSelect(isLast, pass.lastSteps, pass.rows);
    pointers(firstRow, rowBytes, rows, carried);
    const size_t ofColumns = carried.size();
    pointers(e.offset(pass.columns, b.CreateMul(skipped, e.number(packedStep()))), pass.columnBytes,
             columns, carried);
    SmallVector<Value *> after =
        e.loop(e.number(0), steps, e.number(1), carried, [&](Value *, ArrayRef<Value *> values) {
          SmallVector<Value *> next(values);
          auto columnAt = [&](unsigned c) {
            return e.load(sums, at(values.drop_front(ofColumns), pass.columnBytes, c));
          };
          auto rowAt = [&](int64_t r) {
            Value *place = at(values.slice(ofRows, ofColumns - ofRows), rowBytes, r);
            Value *ofRow = factor(e.load(e.vectorOf(element, step()), place));
            // Prefetches the same piece of the next rows, each of which begins on a page of its
            // own.
            e.prefetch(e.offset(place, b.CreateMul(rowBytes, e.number(rows))), 2);
            return ofRow;
          };
          auto multiplyAdd = [&](int64_t r, unsigned c, Value *ofRow, Value *ofColumn) {
            Value *&sum = next[r * columns + c];
            sum = emitMultiply(e, multiply, ofRow, ofColumn, sum);
          };
          // The smaller of rows and columns is held in registers, of which the sums leave few. Rows
          // of bytes need no conversion, and are faster loaded one by one (a tenth on Zen 4).
          SmallVector<Value *> waiting;
          if (rows < columns && multiply != Multiply::int8Dot4) {
            for (int64_t r = 0; r < rows; ++r)
              waiting.push_back(rowAt(r));
            for (unsigned c = 0; c < columns; ++c) {
              Value *ofColumn = columnAt(c);
              for (int64_t r = 0; r < rows; ++r)
                multiplyAdd(r, c, waiting[r], ofColumn);
            }
          } else {
            for (unsigned c = 0; c < columns; ++c)
              waiting.push_back(columnAt(c));
            for (int64_t r = 0; r < rows; ++r) {
              Value *ofRow = rowAt(r);
              for (unsigned c = 0; c < columns; ++c)
                multiplyAdd(r, c, ofRow, waiting[c]);
            }
          }
          for (size_t i = ofRows; i < next.size(); ++i)
            next[i] = e.offset(next[i], i < ofColumns ? stepBytes() : packedStep());
          return next;
        });
    after.truncate(rows * columns);
    return after;
  };
  SmallVector<Value *> all =
      e.loop(e.number(0), e.number(2), e.number(1), zeros, [&](Value *i, ArrayRef<Value *> before) {
        return part(b.CreateICmpNE(i, e.number(0)), before);
      });
  for (auto [i, vector] : enumerate(all))
    e.store(vector, e.offset(pass.lanes, i * packedStep()));
}

// Row by row: four sums at a time, which are a part of a row, or of one column four rows.
void Dots::emitSums(Value *lanes, Value *rows, Value *columns, Value *sumRow, Value *offsets,
                    Value *before, Value *sums) {
  Type *four = e.vectorOf(sum(), together), *vector = e.vectorOf(sum(), e.target.lanes);
  Value *lastColumn = b.CreateSub(columns, e.number(1));
  e.loop(e.number(0), b.CreateMul(rows, columns), e.number(together), [&](Value *i) {
    SmallVector<Value *> loaded;
    Value *from = e.offset(lanes, b.CreateMul(i, e.number(packedStep())));
    for (unsigned lane = 0; lane < together; ++lane)
      loaded.push_back(e.load(vector, e.offset(from, lane * packedStep())));
    Value *added = horizontalSums(e, loaded), *column = b.CreateAnd(i, lastColumn);
    Value *at = e.plus(b.CreateMul(b.CreateUDiv(i, columns), sumRow), column, 4);
    if (multiply == Multiply::int8Dot4) {
      Value *offset = e.offset(offsets, b.CreateMul(column, e.number(4)));
      added = b.CreateSub(added, e.load(four, offset));
    }
    e.store(add(added, e.load(four, e.offset(before, at))), e.offset(sums, at));
  });
}

// void(ptr a, ptr columns, ptr before, ptr sums, ptr offsets, i64 rowBytes, i64 columnBytes, i64 m,
// i64 n, i64 k, i64 sumRow): sums = `before` + a * columns - `offsets`, with n packed columns; n is
// one of `passes`.
Function *Dots::function() {
  return e.helper("dots_" + Emitter::nameOf(element), 5, 6, {}, [&](Function *f) {
    markLazy(*f);
    Value *a = f->getArg(0), *columns = f->getArg(1), *before = f->getArg(2), *sums = f->getArg(3),
          *offsets = f->getArg(4), *rowBytes = f->getArg(5), *columnBytes = f->getArg(6),
          *m = f->getArg(7), *n = f->getArg(8), *k = f->getArg(9), *sumRow = f->getArg(10);
    Value *whole = e.roundDown(k, step()), *rest = b.CreateSub(k, whole);
    Value *hasLast = b.CreateZExt(b.CreateICmpSGT(rest, e.number(0)), e.i64());
    Value *lastSteps = e.local(ArrayType::get(b.getInt8Ty(), mostRows() * stepBytes()));
    Value *lanes = e.local(ArrayType::get(b.getInt8Ty(), mostSums() * packedStep()));
    Value *rows = e.number(this->rows(widest));
    for (unsigned columns : reverse(ArrayRef(passes).drop_back()))
      rows = b.CreateSelect(b.CreateICmpSLE(n, e.number(columns)), e.number(this->rows(columns)),
                            rows);
    e.loop(e.number(0), m, rows, [&](Value *row) {
      // A ragged last group of rows overlaps the one before: both start from `before`, so the sums
      // are equal.
      Value *start = e.min(row, b.CreateSub(m, rows));
      Value *ofRow = b.CreateMul(start, sumRow);
      const Pass pass{e.offset(a, b.CreateMul(start, rowBytes)),
                      rowBytes,
                      lastSteps,
                      b.CreateUDiv(whole, e.number(step())),
                      hasLast,
                      columns,
                      columnBytes,
                      lanes};
      e.when(b.CreateICmpSGT(rest, e.number(0)),
             [&] { keepLastSteps(pass.rows, rows, rowBytes, whole, rest, lastSteps); });
      for (unsigned columns : passes)
        e.when(b.CreateICmpEQ(n, e.number(columns)), [&] { emitPass(pass, columns); });
      emitSums(lanes, rows, n, sumRow, offsets, e.offset(before, ofRow), e.offset(sums, ofRow));
    });
  });
}

/// The zero-point compensation: 128 times the sum of each packed column, as A is offset to be
/// unsigned; of one column for each row of the group. Places without a column have any value.
void Dots::emitOffsets(Value *columns, Value *columnBytes, Value *count, Value *depth,
                       Value *offsets) {
  Value *distance = b.CreateSelect(b.CreateICmpEQ(count, e.number(1)), e.number(0), columnBytes);
  for (int64_t column = 0; column < tuning.dotColumns; column += e.target.rows())
    b.CreateCall(zeroPointCompensation(e),
                 {e.offset(columns, b.CreateMul(distance, e.number(column))),
                  e.offset(offsets, column * 4), distance, depth});
}

} // namespace

// Whether code exists, and the scratch has room for packed columns.
static bool mayUseDotProducts(Emitter &e, Type *element, int64_t bElements) {
  const CpuTuning tuning(e.target);
  // Offsets are computed for the most columns; unused ones are ignored.
  const int64_t leastColumns = element->isIntegerTy() ? passes[1] : tuning.dotColumns;
  return multiplyOf(e.target, element) != Multiply::i32 &&
         4 * bElements >=
             tuning.dotColumns * (tuning.dotColumnBytes / leastColumns + tuning.rowPadding);
}

/// Rows that fit the scratch: sums twice, before and after a pass, and once transposed.
static Value *mostRowsOfDots(Emitter &e, int64_t accElements) {
  const CpuTuning tuning(e.target);
  return e.number(accElements / (3 * tuning.dotColumns) - e.target.lanes);
}

Value *useDotProductsForTail(Emitter &e, const ProductOperands &operands, Value *count,
                             Type *element, int64_t bElements, int64_t accElements) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  if (!mayUseDotProducts(e, element, bElements))
    return b.getFalse();
  Value *m = operands.m, *k = operands.k;
  Value *areFew = b.CreateICmpULT(b.CreateSub(count, e.number(1)),
                                  e.number(e.target.lanes / tuning.tailPartOfVector));
  // They read A once more, so it has to be in a cache.
  Value *bytesOfA = b.CreateMul(m, operands.a.row);
  const int64_t least = tuning.tailSteps * elementsOfStep(multiplyOf(e.target, element));
  return b.CreateAnd({areFew, b.CreateICmpEQ(operands.a.column, e.number(e.bytesOf(element))),
                      b.CreateICmpSGE(k, e.number(least)),
                      b.CreateICmpULE(bytesOfA, e.number(tuning.tailBytes())),
                      b.CreateICmpSLE(m, mostRowsOfDots(e, accElements))});
}

Value *useDotProducts(Emitter &e, const ProductOperands &operands, Type *element,
                      Value *isTransposed, int64_t bElements, int64_t accElements) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  if (!mayUseDotProducts(e, element, bElements))
    return b.getFalse();
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  // Two passes over rows of floats take longer than packing them once.
  Value *most = e.number(tuning.dotColumns);
  if (!element->isIntegerTy())
    most = b.CreateSelect(isTransposed, most, e.number(widest));
  return b.CreateAnd({b.CreateICmpSLE(n, most),
                      b.CreateICmpEQ(operands.a.column, e.number(e.bytesOf(element))),
                      b.CreateICmpSGE(k, e.number(tuning.dotDepth)),
                      b.CreateICmpSGE(b.CreateMul(m, k), e.number(tuning.dotElements)),
                      b.CreateICmpSGE(m, b.CreateMul(n, e.number(tuning.dotRowsByColumn))),
                      b.CreateICmpSLE(m, mostRowsOfDots(e, accElements))});
}

SumsInMemory emitDots(Emitter &e, const ProductOperands &operands, Type *element) {
  const CpuTuning tuning(e.target);
  IRBuilder<> &b = e.b;
  Dots dots(e, element);
  const Plane &a = operands.a, &columns = operands.b;
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t size = e.bytesOf(dots.packed());
  // Padded with zeros to the columns of a pass.
  Value *count = e.roundUp(n, widest);
  for (unsigned columns : reverse(ArrayRef(passes).drop_back()))
    count = b.CreateSelect(b.CreateICmpSLE(n, e.number(columns)), e.number(columns), count);
  Value *isOne = b.CreateICmpEQ(count, e.number(1));
  Value *room = b.CreateSelect(b.CreateAnd(isOne, b.getInt1(dots.goesRowByRow(1))),
                               e.number(tuning.dotSingleColumnBytes() / size),
                               e.number(tuning.dotColumnBytes / size));
  Value *most = e.roundDown(b.CreateUDiv(room, count), dots.step());
  Value *depth = e.roundUp(e.ceilDiv(k, e.ceilDiv(k, most)), dots.step());
  Value *columnBytes = e.plus(e.number(tuning.rowPadding), depth, size);
  Value *sumRow = b.CreateMul(count, e.number(4)), *sumBytes = b.CreateMul(m, sumRow);
  Value *offsets = e.local(ArrayType::get(b.getInt32Ty(), tuning.dotColumns));
  b.CreateMemSet(operands.acc, b.getInt8(0), sumBytes, MaybeAlign());
  SmallVector<Value *> last = e.loop(
      e.number(0), k, depth, {operands.acc, e.offset(operands.acc, sumBytes)},
      [&](Value *from, ArrayRef<Value *> sums) {
        Value *deep = e.min(depth, b.CreateSub(k, from));
        b.CreateMemSet(operands.bScratch, b.getInt8(0), b.CreateMul(count, columnBytes),
                       MaybeAlign());
        b.CreateCall(moveElements(e, element, dots.packed()),
                     {operands.bScratch, e.offset(columns.pointer, b.CreateMul(from, columns.row)),
                      columnBytes, columns.column, columns.row, n, deep});
        if (element->isIntegerTy())
          dots.emitOffsets(operands.bScratch, columnBytes, count, depth, offsets);
        Value *width = e.min(count, e.number(widest));
        e.loop(e.number(0), count, width, [&](Value *column) {
          auto at = [&](Value *start) { return e.offset(start, b.CreateMul(column, e.number(4))); };
          b.CreateCall(dots.function(),
                       {e.offset(a.pointer, b.CreateMul(from, a.column)),
                        e.offset(operands.bScratch, b.CreateMul(column, columnBytes)), at(sums[0]),
                        at(sums[1]), at(offsets), a.row, columnBytes, m, width, deep, sumRow});
        });
        return SmallVector<Value *>{sums[1], sums[0]};
      });
  return {last[0], sumRow};
}

} // namespace mmk
