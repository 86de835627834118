#include "cpu/windows/operand.h"

#include "codegen/affine.h"
#include "codegen/element_pairs.h"
#include "cpu/denormal.h"
#include "cpu/frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace llvm;

namespace mmk {
namespace {

/// Rows whose places are computed together, whole groups: what is written of them stays in L1.
constexpr int64_t rowsOfTable = 64;

/// The part of an index that depends on the columns, with what depends on neither.
mlir::AffineExpr ofColumns(mlir::AffineExpr index, unsigned rowDigits) {
  SmallVector<mlir::AffineExpr> zeros(rowDigits,
                                      mlir::getAffineConstantExpr(0, index.getContext()));
  return index.replaceDims(zeros);
}

mlir::AffineExpr ofRows(mlir::AffineMap window, unsigned result, unsigned rowDigits) {
  const mlir::AffineExpr index = window.getResult(result);
  return mlir::simplifyAffineExpr(index - ofColumns(index, rowDigits), window.getNumDims(),
                                  window.getNumSymbols());
}

/// By how much an index grows along a digit; nothing where that differs.
std::optional<int64_t> stepOf(mlir::AffineMap window, unsigned result, unsigned digit) {
  const mlir::AffineExpr index = window.getResult(result),
                         dim = mlir::getAffineDimExpr(digit, window.getContext());
  auto step = dyn_cast<mlir::AffineConstantExpr>(mlir::simplifyAffineExpr(
      index.replace(dim, dim + 1) - index, window.getNumDims(), window.getNumSymbols()));
  return step ? std::optional(step.getValue()) : std::nullopt;
}

/// The same from column to column of a run.
std::optional<int64_t> stepOf(mlir::AffineMap window, unsigned result) {
  return stepOf(window, result, window.getNumDims() - 1);
}

/// The index that grows along the last but one digit of the columns as the one of the run does
/// along the last, if each of the two is all that these digits change.
std::optional<unsigned> joinedWith(mlir::AffineMap window, unsigned run, size_t columnDigits) {
  if (columnDigits < 2 || !isa<mlir::AffineDimExpr>(window.getResult(run)))
    return std::nullopt;
  const unsigned digit = window.getNumDims() - 2;
  std::optional<unsigned> joined;
  for (unsigned i = 0; i < window.getNumResults(); ++i) {
    if (!window.getResult(i).isFunctionOfDim(digit))
      continue;
    if (joined || i == run || stepOf(window, i, digit) != 1)
      return std::nullopt;
    joined = i;
  }
  return joined;
}

/// The index that grows along the columns.
std::optional<unsigned> runOf(mlir::AffineMap window) {
  std::optional<unsigned> run;
  for (unsigned i = 0; i < window.getNumResults(); ++i) {
    const std::optional<int64_t> step = stepOf(window, i);
    if (!step || *step < 0 || (*step > 0 && run))
      return std::nullopt;
    if (*step > 0)
      run = i;
  }
  return run;
}

} // namespace

bool isReadByRows(mlir::AffineMap window, unsigned rowDigits) {
  if (rowDigits == 0 || rowDigits >= window.getNumDims() || !runOf(window))
    return false;
  for (unsigned i = 0; i < window.getNumResults(); ++i)
    for (unsigned dim = rowDigits; dim < window.getNumDims(); ++dim)
      if (ofRows(window, i, rowDigits).isFunctionOfDim(dim))
        return false;
  return true;
}

/// What the function reads from its frame.
struct WindowOperand::Fields {
  Value *source = nullptr;
  SmallVector<Value *> strides, extents, symbols, rowDigits, columnDigits;
  Value *firstRow = nullptr, *firstColumn = nullptr;

  Fields(size_t rank, cpu::ProductOp op)
      : strides(rank), extents(rank), symbols(op.getWindow()->getNumSymbols()),
        rowDigits((*op.getWindowDigits())[0]), columnDigits((*op.getWindowDigits())[1]) {}

  SmallVector<Value **> all() {
    SmallVector<Value **> all = {&source};
    for (auto *list : {&strides, &extents, &symbols, &rowDigits, &columnDigits})
      for (Value *&value : *list)
        all.push_back(&value);
    all.append({&firstRow, &firstColumn});
    return all;
  }
};

/// Rows whose places have been computed: lists of what each adds to the place of an element, and to
/// each index; and for groups, to its bytes.
struct WindowOperand::Table {
  Value *lists, *rows;
  Value *at(Emitter &e, int64_t list, Value *row) const {
    return e.offset(lists, e.b.CreateMul(e.plus(row, e.number(list * rowsOfTable)), e.number(8)));
  }
  Value *place(Emitter &e, Value *row) const { return e.load(e.i64(), at(e, 0, row)); }
  Value *index(Emitter &e, int64_t i, Value *row) const {
    return e.load(e.i64(), at(e, i + 1, row));
  }
};

/// Columns of a run, of all rows of the table.
struct WindowOperand::Part {
  Value *to, *toRow;
  Value *length = nullptr;
  Value *start = nullptr;            ///< address of the first column, without what rows add
  SmallVector<Value *> indices = {}; ///< of the first column, the same
};

Value *WindowOperand::frame(ProgramValues &values) {
  const GlobalTensor &tensor = values.global(source());
  Fields fields(tensor.extents.size(), op);
  fields.source = tensor.pointer;
  fields.strides = tensor.strides;
  fields.extents = tensor.extents;
  auto operands = op.getWindowOperands().begin();
  for (auto *list : {&fields.symbols, &fields.rowDigits, &fields.columnDigits})
    for (Value *&value : *list)
      value = values.value(*operands++);
  fields.firstRow = values.value(*operands++);
  fields.firstColumn = values.value(*operands++);
  return Frame(e, fields.all()).address();
}

WindowOperand::Fields WindowOperand::load(Value *frame) {
  Fields fields(op.getWindow()->getNumResults(), op);
  for (auto [i, field] : enumerate(fields.all()))
    *field = Frame(e, frame).get(i, i == 0 ? e.pointer() : e.i64());
  return fields;
}

Type *WindowOperand::element() {
  return e.elementType(cast<mlir::MemRefType>(source().getType()).getElementType());
}

int64_t WindowOperand::bytesOf(const WindowForm &form) {
  return form.group > 1 ? 4 : e.bytesOf(form.type);
}

SmallVector<Value *> WindowOperand::digitsOf(Value *position, ArrayRef<Value *> extents) {
  SmallVector<Value *> digits(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    digits[i] = i == 0 ? position : b.CreateURem(position, extents[i]);
    position = i == 0 ? position : b.CreateUDiv(position, extents[i]);
  }
  return digits;
}

// Where the last two digits of the columns follow each other in memory, such as the columns and the
// channels of an image, they are one run.
Value *WindowOperand::joinColumns(Fields &fields) {
  const mlir::AffineMap window = *op.getWindow();
  const unsigned run = *runOf(window);
  joined = joinedWith(window, run, fields.columnDigits.size());
  if (!joined)
    return nullptr;
  Value *&digit = fields.columnDigits.back(), *&outer = fields.columnDigits.end()[-2];
  Value *&extent = fields.extents[run], *&outerExtent = fields.extents[*joined];
  Value *areOne = b.CreateAnd(
      b.CreateICmpEQ(digit, extent),
      b.CreateICmpEQ(fields.strides[*joined], b.CreateMul(extent, fields.strides[run])));
  innerExtent = extent;
  digit = b.CreateSelect(areOne, b.CreateMul(digit, outer), digit);
  outer = b.CreateSelect(areOne, e.number(1), outer);
  extent = b.CreateSelect(areOne, b.CreateMul(extent, outerExtent), extent);
  outerExtent = b.CreateSelect(areOne, e.number(1), outerExtent);
  return areOne;
}

void WindowOperand::joinIndices(Value *areOne, MutableArrayRef<Value *> indices) {
  if (!areOne)
    return;
  Value *&inner = indices[*runOf(*op.getWindow())], *&outer = indices[*joined];
  Value *both = b.CreateAdd(b.CreateMul(outer, innerExtent), inner);
  inner = b.CreateSelect(areOne, both, inner);
  outer = b.CreateSelect(areOne, e.number(0), outer);
}

/// The digits of the next position.
SmallVector<Value *> WindowOperand::digitsAfter(ArrayRef<Value *> digits,
                                                ArrayRef<Value *> extents) {
  SmallVector<Value *> next(digits);
  Value *carry = e.number(1);
  for (size_t i = digits.size(); i-- > 0;) {
    next[i] = b.CreateAdd(digits[i], carry);
    if (i == 0)
      break;
    Value *isFull = b.CreateICmpEQ(next[i], extents[i]);
    next[i] = b.CreateSelect(isFull, e.number(0), next[i]);
    carry = b.CreateZExt(isFull, e.i64());
  }
  return next;
}

// Rows up to a whole step are outside of the tensor.
WindowOperand::Table WindowOperand::emitTable(const Fields &fields, const WindowForm &form,
                                              Value *areOne, Value *first, Value *count) {
  const mlir::AffineMap window = *op.getWindow();
  const int64_t indices = window.getNumResults();
  Table table{e.local(ArrayType::get(e.i64(), rowsOfTable * (indices + 2))), count};
  auto set = [&](Value *row, Value *place, ArrayRef<Value *> ofRow, int64_t flips) {
    e.store(place, table.at(e, 0, row));
    for (int64_t i = 0; i < indices; ++i)
      e.store(ofRow[i], table.at(e, i + 1, row));
    if (form.isOffset)
      e.store(e.number(flips), table.at(e, indices + 1, row));
  };
  e.loop(e.number(0), count, e.number(1),
         digitsOf(b.CreateAdd(fields.firstRow, first), fields.rowDigits),
         [&](Value *row, ArrayRef<Value *> digits) {
           SmallVector<Value *> dims(digits), ofRow;
           dims.append(fields.columnDigits.size(), e.number(0));
           Value *place = e.number(0);
           for (int64_t i = 0; i < indices; ++i) {
             ofRow.push_back(
                 emitAffine(e, ofRows(window, i, fields.rowDigits.size()), dims, fields.symbols));
             place = b.CreateAdd(place, b.CreateMul(ofRow[i], fields.strides[i]));
           }
           joinIndices(areOne, ofRow);
           set(row, place, ofRow, 0x80);
           return digitsAfter(digits, fields.rowDigits);
         });
  const SmallVector<Value *> outside(indices, e.number(std::numeric_limits<int32_t>::min()));
  e.loop(count, e.roundUp(count, form.group), e.number(1),
         [&](Value *row) { set(row, e.number(0), outside, 0); });
  return table;
}

/// The indices that are not those of the run and may be outside of the tensor: a variable that
/// stands alone has the range of the dimension.
SmallVector<unsigned> WindowOperand::othersChecked() {
  const mlir::AffineMap window = *op.getWindow();
  SmallVector<unsigned> all;
  for (unsigned i = 0; i < window.getNumResults(); ++i)
    if (i != *runOf(window) && !isa<mlir::AffineDimExpr>(window.getResult(i)))
      all.push_back(i);
  return all;
}

/// A row's elements of a run.
ElementRun WindowOperand::elementsOf(const Fields &fields, const Part &part, const Table &table,
                                     Value *row) {
  const unsigned run = *runOf(*op.getWindow());
  auto index = [&](unsigned i) { return b.CreateAdd(table.index(e, i, row), part.indices[i]); };
  Value *here = b.getTrue();
  for (unsigned i : othersChecked())
    here = b.CreateAnd(here, b.CreateICmpULT(index(i), fields.extents[i]));
  return {element(),
          *stepOf(*op.getWindow(), run),
          b.CreateGEP(element(), part.start, table.place(e, row)),
          fields.strides[run],
          here,
          index(run),
          fields.extents[run]};
}

// A row whose other indices are outside of the tensor is outside as a whole.
Value *WindowOperand::emitIndices(const Fields &fields, const Part &part, const Table &table) {
  const unsigned run = *runOf(*op.getWindow());
  const int64_t lanes = e.target.lanes;
  static_assert(rowsOfTable % 16 == 0);
  Value *indices = e.local(ArrayType::get(b.getInt32Ty(), rowsOfTable));
  Type *numbers = e.vectorOf(e.i64(), lanes);
  e.loop(e.number(0), table.rows, e.number(lanes), [&](Value *row) {
    Value *found = e.load(numbers, table.at(e, run + 1, row));
    for (unsigned i : othersChecked()) {
      Value *index =
          b.CreateAdd(e.load(numbers, table.at(e, i + 1, row)), e.splat(part.indices[i], lanes));
      found = b.CreateSelect(b.CreateICmpULT(index, e.splat(fields.extents[i], lanes)), found,
                             e.splat(e.number(std::numeric_limits<int32_t>::min()), lanes));
    }
    e.store(b.CreateTrunc(found, e.vectorOf(b.getInt32Ty(), lanes)),
            e.offset(indices, b.CreateMul(row, e.number(4))));
  });
  return indices;
}

/// What is the same for all rows of a vector of columns whose elements are dense.
struct WindowOperand::DenseColumns {
  Value *start, *indices, *extent;
  SmallVector<Value *> added; ///< to the index, of each piece of the elements
};

WindowOperand::DenseColumns WindowOperand::denseColumns(const Fields &fields, const Part &part,
                                                        Value *indices, Value *column) {
  const unsigned lanes = e.target.lanes, run = *runOf(*op.getWindow());
  const int64_t step = *stepOf(*op.getWindow(), run);
  auto splat = [&](Value *value) { return e.splat(b.CreateTrunc(value, b.getInt32Ty()), lanes); };
  DenseColumns columns{b.CreateGEP(element(), part.start, b.CreateMul(column, e.number(step))),
                       indices,
                       splat(fields.extents[run]),
                       {}};
  for (int64_t piece = 0; piece < step; ++piece) {
    columns.added.push_back(b.CreateAdd(splat(e.plus(part.indices[run], column, step)),
                                        laneNumbers(e, b.getInt32Ty(), piece * lanes)));
  }
  return columns;
}

// Without branches: a mask has the elements that are inside of the tensor.
Value *WindowOperand::loadDense(const DenseColumns &columns, const Table &table, Value *row) {
  const unsigned lanes = e.target.lanes;
  Type *bits = b.getIntNTy(8 * e.bytesOf(element()));
  Type *type = element()->getScalarSizeInBits() == 16 ? bits : element();
  auto *vector = cast<FixedVectorType>(e.vectorOf(type, lanes));
  Value *index = e.load(b.getInt32Ty(), e.offset(columns.indices, b.CreateMul(row, e.number(4))));
  Value *start = b.CreateGEP(element(), columns.start, table.place(e, row));
  SmallVector<Value *> loaded;
  for (Value *added : columns.added) {
    Value *mask = b.CreateICmpULT(b.CreateAdd(e.splat(index, lanes), added), columns.extent);
    Value *from = e.offset(start, loaded.size() * lanes * e.bytesOf(element()));
    auto masked = [&]() -> Value * {
      return b.CreateMaskedLoad(vector, from, Align(e.bytesOf(element())), mask,
                                Constant::getNullValue(vector));
    };
    auto whole = [&]() -> Value * { return e.load(vector, from); };
    loaded.push_back(e.target.masks() ? masked()
                                      : e.either(b.CreateAndReduce(mask), whole, masked));
  }
  if (loaded.size() == 2) {
    SmallVector<int> even;
    for (unsigned lane = 0; lane < lanes; ++lane)
      even.push_back(static_cast<int>(2 * lane));
    loaded[0] = b.CreateShuffleVector(loaded[0], loaded[1], even);
  }
  return b.CreateBitCast(loaded[0], e.vectorOf(element(), lanes));
}

/// Copies rows of a run as they are.
void WindowOperand::copyRun(const Fields &fields, const Table &table, const Part &part) {
  const int64_t lanes = e.target.lanes, size = e.bytesOf(element());
  const int64_t wide = lanes * (e.target.masks() ? 4 / size : 1);
  Value *zeros = Constant::getNullValue(e.vectorOf(element(), lanes));
  Type *vector = e.vectorOf(element(), wide);
  e.loop(e.number(0), table.rows, e.number(1), {part.to}, [&](Value *row, ArrayRef<Value *> to) {
    const ElementRun elements = elementsOf(fields, part, table, row);
    auto at = [&](Value *base, Value *column) {
      return e.offset(base, b.CreateMul(column, e.number(size)));
    };
    Value *areInside = elements.isInside(e, part.length);
    e.when(areInside, [&] {
      Value *whole = e.roundDown(part.length, wide), *left = b.CreateSub(part.length, whole);
      e.loop(e.number(0), whole, e.number(wide), [&](Value *column) {
        e.store(e.load(vector, at(elements.start(), column)), at(to[0], column));
      });
      e.when(b.CreateICmpNE(left, e.number(0)), [&] {
        Value *some = e.loadSome(vector, at(elements.start(), whole), left);
        e.storeSome(some, at(to[0], whole), left);
      });
    });
    e.when(b.CreateNot(areInside), [&] {
      e.loop(e.number(0), part.length, e.number(lanes), [&](Value *column) {
        e.storeSome(elements.movedBy(e, column).loadInside(e, 0, zeros), at(to[0], column),
                    e.min(b.CreateSub(part.length, column), e.number(lanes)));
      });
    });
    return SmallVector<Value *>{e.offset(to[0], part.toRow)};
  });
}

/// Rows side by side in four bytes for each column.
Value *WindowOperand::groupOf(ArrayRef<Value *> rows, ArrayRef<Value *> flips) {
  const unsigned lanes = e.target.lanes;
  const int64_t size = 8 * e.bytesOf(element());
  Value *all = nullptr;
  for (auto [i, row] : enumerate(rows)) {
    Value *bits = b.CreateZExt(b.CreateBitCast(row, e.vectorOf(b.getIntNTy(size), lanes)),
                               e.vectorOf(b.getInt32Ty(), lanes));
    if (!flips.empty())
      bits = b.CreateXor(bits, e.splat(b.CreateTrunc(flips[i], b.getInt32Ty()), lanes));
    bits = b.CreateShl(bits, size * i);
    all = all ? b.CreateOr(all, bits) : bits;
  }
  return all;
}

/// The steps of a run, a vector of columns after the other.
void WindowOperand::emitRun(const Fields &fields, const WindowForm &form, const Table &table,
                            const Part &part, bool isDense) {
  const int64_t lanes = e.target.lanes;
  Value *zeros = Constant::getNullValue(e.vectorOf(element(), lanes));
  Value *indices = isDense ? emitIndices(fields, part, table) : nullptr;
  e.loop(e.number(0), part.length, e.number(lanes), [&](Value *column) {
    Value *count = e.min(b.CreateSub(part.length, column), e.number(lanes));
    Value *to = e.offset(part.to, b.CreateMul(column, e.number(bytesOf(form))));
    DenseColumns columns;
    if (isDense)
      columns = denseColumns(fields, part, indices, column);
    e.loop(e.number(0), table.rows, e.number(form.group), {to},
           [&](Value *step, ArrayRef<Value *> at) {
             SmallVector<Value *> loaded, flips;
             for (int64_t i = 0; i < form.group; ++i) {
               Value *row = b.CreateAdd(step, e.number(i));
               loaded.push_back(isDense ? loadDense(columns, table, row)
                                        : elementsOf(fields, part, table, row)
                                              .movedBy(e, column)
                                              .loadInside(e, 0, zeros));
               if (form.isOffset)
                 flips.push_back(table.index(e, op.getWindow()->getNumResults(), row));
             }
             e.storeSome(form.group > 1 ? groupOf(loaded, flips) : e.convert(loaded[0], form.type),
                         at[0], count);
             return SmallVector<Value *>{e.offset(at[0], part.toRow)};
           });
  });
}

// A stride of 1 is known when the kernel is called.
void WindowOperand::emitRun(const Fields &fields, const WindowForm &form, const Table &table,
                            const Part &part) {
  constexpr int64_t mostDenseStep = 2;
  const unsigned run = *runOf(*op.getWindow());
  const int64_t step = *stepOf(*op.getWindow(), run);
  Value *isDense =
      step <= mostDenseStep ? b.CreateICmpEQ(fields.strides[run], e.number(1)) : b.getFalse();
  // Indices are compared as numbers of 32 bits.
  for (Value *extent : fields.extents)
    isDense = b.CreateAnd(isDense,
                          b.CreateICmpULT(extent, e.number(std::numeric_limits<int32_t>::max())));
  Value *isCopied = b.getFalse();
  if (op.isWindowOfA() && form.type == element() && step == 1) {
    // A vector or two take less time than deciding whether all of a row is inside.
    isCopied =
        b.CreateAnd(isDense, b.CreateICmpSGT(part.length, e.number(2 * int64_t(e.target.lanes))));
    e.when(isCopied, [&] { copyRun(fields, table, part); });
  }
  e.when(b.CreateAnd(isDense, b.CreateNot(isCopied)),
         [&] { emitRun(fields, form, table, part, /*isDense=*/true); });
  e.when(b.CreateNot(isDense), [&] { emitRun(fields, form, table, part, /*isDense=*/false); });
}

SmallVector<WindowOperand::Interval> WindowOperand::digitIntervals(Value *first, Value *count,
                                                                   ArrayRef<Value *> extents) {
  const SmallVector<Value *> low = digitsOf(first, extents);
  const SmallVector<Value *> high =
      digitsOf(b.CreateSub(b.CreateAdd(first, count), e.number(1)), extents);
  SmallVector<Interval> all;
  Value *areEqual = b.getTrue();
  for (size_t i = 0; i < extents.size(); ++i) {
    all.push_back({b.CreateSelect(areEqual, low[i], e.number(0)),
                   b.CreateSelect(areEqual, high[i], b.CreateSub(extents[i], e.number(1)))});
    areEqual = b.CreateAnd(areEqual, b.CreateICmpEQ(low[i], high[i]));
  }
  return all;
}

// Of each dimension of the tensor the indices between the least and the greatest.
Value *WindowOperand::leastExponent(Value *frame, Value *rows, Value *columns) {
  const mlir::AffineMap window = *op.getWindow();
  const Fields fields = load(frame);
  SmallVector<Interval> digits = digitIntervals(fields.firstRow, rows, fields.rowDigits);
  digits.append(digitIntervals(fields.firstColumn, columns, fields.columnDigits));
  Value *start = fields.source;
  SmallVector<Value *> counts;
  for (unsigned i = 0; i < window.getNumResults(); ++i) {
    SmallVector<Value *> low, high;
    bool isKnown = true;
    for (auto [d, digit] : enumerate(digits)) {
      const std::optional<int64_t> step = stepOf(window, i, d);
      isKnown &= step.has_value();
      low.push_back(step.value_or(0) < 0 ? digit.last : digit.first);
      high.push_back(step.value_or(0) < 0 ? digit.first : digit.last);
    }
    Value *first = e.number(0), *end = fields.extents[i];
    if (isKnown) {
      const auto at = [&](ArrayRef<Value *> dims) {
        return emitAffine(e, window.getResult(i), dims, fields.symbols);
      };
      first = b.CreateBinaryIntrinsic(Intrinsic::smax, at(low), first);
      end = e.min(b.CreateAdd(at(high), e.number(1)), end);
    }
    start = b.CreateGEP(element(), start, b.CreateMul(first, fields.strides[i]));
    counts.push_back(
        b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(end, first), e.number(0)));
  }
  return leastExponentOf(e, start, counts, fields.strides);
}

// Columns that follow each other along the last digit are a run.
void WindowOperand::emitRuns(const Fields &fields, const WindowForm &form, const Table &table,
                             Value *areOne, Part part, Value *column, Value *columns) {
  const mlir::AffineMap window = *op.getWindow();
  Value *to = part.to;
  e.loopWhile(e.number(0), columns, [&](Value *done) {
    Value *position = b.CreateAdd(fields.firstColumn, b.CreateAdd(column, done));
    const SmallVector<Value *> digits = digitsOf(position, fields.columnDigits);
    SmallVector<Value *> dims(fields.rowDigits.size(), e.number(0));
    dims.append(digits);
    part.to = e.offset(to, b.CreateMul(done, e.number(bytesOf(form))));
    part.length =
        e.min(b.CreateSub(fields.columnDigits.back(), digits.back()), b.CreateSub(columns, done));
    part.start = fields.source;
    part.indices.clear();
    for (auto [i, index] : enumerate(window.getResults())) {
      part.indices.push_back(
          emitAffine(e, ofColumns(index, fields.rowDigits.size()), dims, fields.symbols));
      part.start =
          b.CreateGEP(element(), part.start, b.CreateMul(part.indices[i], fields.strides[i]));
    }
    joinIndices(areOne, part.indices);
    emitRun(fields, form, table, part);
    return b.CreateAdd(done, part.length);
  });
}

// The rows of a table are written to all panels before the next ones.
Function *WindowOperand::rows(const std::string &name, const WindowForm &form) {
  return e.helper(name, 2, 5, {}, [&](Function *f) {
    Fields fields = load(f->getArg(1));
    Value *areOne = joinColumns(fields);
    Value *to = f->getArg(0), *bytes = f->getArg(2), *row = f->getArg(3), *rows = f->getArg(4),
          *column = f->getArg(5), *columns = f->getArg(6);
    e.loop(e.number(0), rows, e.number(rowsOfTable), [&](Value *first) {
      Value *count = e.min(b.CreateSub(rows, first), e.number(rowsOfTable));
      const Table table = emitTable(fields, form, areOne, b.CreateAdd(row, first), count);
      Value *steps = b.CreateUDiv(first, e.number(form.group));
      if (!form.inPanels)
        return emitRuns(fields, form, table, areOne,
                        {e.offset(to, b.CreateMul(steps, bytes)), bytes}, column, columns);
      forEachPanel(e, columns, [&](Value *vectors, Value *ofPanel) {
        Value *width = b.CreateMul(vectors, e.number(e.target.lanes));
        Value *toRow = b.CreateMul(width, e.number(4));
        Value *panel =
            e.offset(e.offset(to, b.CreateMul(ofPanel, bytes)), b.CreateMul(steps, toRow));
        emitRuns(fields, form, table, areOne, {panel, toRow}, b.CreateAdd(column, ofPanel),
                 e.min(width, b.CreateSub(columns, ofPanel)));
      });
    });
  });
}

// Places without an element are zeroed.
void packWindow(Emitter &e, cpu::ProductOp op, Multiply multiply, const std::string &name,
                Value *to, Value *window, const WindowPart &part) {
  IRBuilder<> &b = e.b;
  const int64_t group = elementsOfStep(multiply);
  forEachPanel(e, part.columns, [&](Value *vectors, Value *column) {
    Value *width = b.CreateMul(vectors, e.number(e.target.lanes));
    Value *rowBytes = b.CreateMul(width, e.number(4));
    Value *panel = e.offset(to, b.CreateMul(column, part.columnBytes));
    Value *steps = b.CreateUDiv(e.roundUp(part.rows, elementsAtOnce(multiply)), e.number(group)),
          *whole = b.CreateUDiv(e.roundUp(part.rows, group), e.number(group));
    Value *isRagged = b.CreateICmpSLT(b.CreateSub(part.columns, column), width);
    whole = b.CreateSelect(isRagged, e.number(0), whole);
    b.CreateMemSet(e.offset(panel, b.CreateMul(whole, rowBytes)), b.getInt8(0),
                   b.CreateMul(b.CreateSub(steps, whole), rowBytes), MaybeAlign());
  });
  WindowForm form;
  if (group > 1)
    form = {nullptr, group, multiply == Multiply::int8Dot4};
  else
    form.type = sumsAreFloats(multiply) ? e.f32() : static_cast<Type *>(b.getInt32Ty());
  form.inPanels = true;
  b.CreateCall(WindowOperand(e, op).rows(name + "_window", form),
               {to, window, part.columnBytes, part.row, part.rows, part.column, part.columns});
}

} // namespace mmk
