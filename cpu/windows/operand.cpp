#include "cpu/windows/operand.h"

#include "codegen/affine.h"
#include "cpu/tile_elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace mmk {
namespace {

/// Rows whose places are computed together.
constexpr int64_t rowsOfTable = 128;

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

/// By how much an index grows from column to column of a run; nothing where that differs.
std::optional<int64_t> stepOf(mlir::AffineMap window, unsigned result) {
  const unsigned last = window.getNumDims() - 1;
  const mlir::AffineExpr index = window.getResult(result),
                         dim = mlir::getAffineDimExpr(last, window.getContext());
  auto step = dyn_cast<mlir::AffineConstantExpr>(mlir::simplifyAffineExpr(
      index.replace(dim, dim + 1) - index, window.getNumDims(), window.getNumSymbols()));
  return step ? std::optional(step.getValue()) : std::nullopt;
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

/// Columns of a run, of all rows of the table.
struct WindowOperand::Part {
  Value *to, *toRow, *table, *rows;
  Value *column, *count;        ///< in the run
  SmallVector<Value *> indices; ///< of the run's first column, without what rows add
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
  const SmallVector<Value **> all = fields.all();
  Value *frame = e.local(ArrayType::get(e.i64(), all.size()));
  for (auto [i, value] : enumerate(all))
    b.CreateAlignedStore(*value, e.offset(frame, 8 * i), Align(8));
  return frame;
}

SmallVector<Value *> WindowOperand::digitsOf(Value *position, ArrayRef<Value *> extents) {
  SmallVector<Value *> digits(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    digits[i] = i == 0 ? position : b.CreateURem(position, extents[i]);
    position = i == 0 ? position : b.CreateUDiv(position, extents[i]);
  }
  return digits;
}

// Of each row, what it adds to the place of an element, and to each index.
void WindowOperand::emitTable(const Fields &fields, Value *table, Value *first, Value *count) {
  const mlir::AffineMap window = *op.getWindow();
  const int64_t indices = window.getNumResults();
  e.loop(e.number(0), count, e.number(1), [&](Value *row) {
    SmallVector<Value *> dims =
        digitsOf(b.CreateAdd(fields.firstRow, b.CreateAdd(first, row)), fields.rowDigits);
    dims.append(fields.columnDigits.size(), e.number(0));
    Value *at = e.offset(table, b.CreateMul(row, e.number(8 * (indices + 1)))),
          *place = e.number(0);
    for (int64_t i = 0; i < indices; ++i) {
      Value *index =
          emitAffine(e, ofRows(window, i, fields.rowDigits.size()), dims, fields.symbols);
      place = b.CreateAdd(place, b.CreateMul(index, fields.strides[i]));
      e.store(index, e.offset(at, 8 * (i + 1)));
    }
    e.store(place, at);
  });
}

void WindowOperand::emitRun(const Fields &fields, const Part &part) {
  const mlir::AffineMap window = *op.getWindow();
  const unsigned run = *runOf(window);
  const int64_t step = *stepOf(window, run), lanes = e.target.lanes;
  Type *element = e.elementType(cast<mlir::MemRefType>(source().getType()).getElementType());
  Value *zeros = Constant::getNullValue(e.vectorOf(element, lanes)), *start = e.number(0);
  for (unsigned i = 0; i < window.getNumResults(); ++i) {
    Value *index = i == run ? e.plus(part.indices[i], part.column, step) : part.indices[i];
    start = b.CreateAdd(start, b.CreateMul(index, fields.strides[i]));
  }
  start = b.CreateGEP(element, fields.source, start);
  Value *firstOfRun = e.plus(part.indices[run], part.column, step);
  auto store = [&](Value *loaded, Value *to) {
    if (e.target.masks())
      return e.storeSome(loaded, to, part.count);
    Value *isWhole = b.CreateICmpEQ(part.count, e.number(lanes));
    e.when(isWhole, [&] { e.store(loaded, to); });
    e.when(b.CreateNot(isWhole), [&] { e.storeSome(loaded, to, part.count); });
  };
  e.loop(e.number(0), part.rows, e.number(1), {part.table, part.to},
         [&](Value *, ArrayRef<Value *> at) {
           auto ofRow = [&](unsigned i) { return e.load(e.i64(), e.offset(at[0], 8 * (i + 1))); };
           Value *here = b.getTrue();
           for (unsigned i = 0; i < window.getNumResults(); ++i)
             // A variable that stands alone has the range of the dimension.
             if (i != run && !isa<mlir::AffineDimExpr>(window.getResult(i)))
               here = b.CreateAnd(here, b.CreateICmpULT(b.CreateAdd(ofRow(i), part.indices[i]),
                                                        fields.extents[i]));
           const ElementRun elements(
               element, step, b.CreateGEP(element, start, e.load(e.i64(), at[0])),
               fields.strides[run], here, b.CreateAdd(ofRow(run), firstOfRun), fields.extents[run]);
           Value *loaded = e.either(
               elements.isInside(e, lanes), [&] { return elements.load(e, 0); },
               [&] { return elements.loadInside(e, 0, zeros); });
           store(e.convert(loaded, e.f32()), at[1]);
           return SmallVector<Value *>{e.offset(at[0], 8 * (window.getNumResults() + 1)),
                                       e.offset(at[1], part.toRow)};
         });
}

// Columns that follow each other along the last digit are a run.
Function *WindowOperand::rows(const std::string &name) {
  return e.helper(name, 2, 5, {}, [&](Function *f) {
    const mlir::AffineMap window = *op.getWindow();
    const int64_t indices = window.getNumResults(), lanes = e.target.lanes;
    Fields fields(indices, op);
    for (auto [i, field] : enumerate(fields.all())) {
      Type *type = i == 0 ? e.pointer() : e.i64();
      *field = b.CreateAlignedLoad(type, e.offset(f->getArg(1), 8 * i), Align(8));
    }
    Value *to = f->getArg(0), *toRow = f->getArg(2), *row = f->getArg(3), *rows = f->getArg(4),
          *column = f->getArg(5), *columns = f->getArg(6);
    Value *table = e.local(ArrayType::get(e.i64(), rowsOfTable * (indices + 1)));
    e.loop(e.number(0), rows, e.number(rowsOfTable), [&](Value *first) {
      Value *count = e.min(b.CreateSub(rows, first), e.number(rowsOfTable));
      emitTable(fields, table, b.CreateAdd(row, first), count);
      Value *target = e.offset(to, b.CreateMul(first, toRow));
      e.loopWhile(e.number(0), columns, [&](Value *done) {
        Value *position = b.CreateAdd(fields.firstColumn, b.CreateAdd(column, done));
        const SmallVector<Value *> digits = digitsOf(position, fields.columnDigits);
        Value *left = b.CreateSub(fields.columnDigits.back(), digits.back());
        Value *length = e.min(left, b.CreateSub(columns, done));
        SmallVector<Value *> dims(fields.rowDigits.size(), e.number(0)), atStart;
        dims.append(digits);
        for (mlir::AffineExpr index : window.getResults())
          atStart.push_back(
              emitAffine(e, ofColumns(index, fields.rowDigits.size()), dims, fields.symbols));
        e.loop(e.number(0), length, e.number(lanes), [&](Value *inRun) {
          Value *at = e.offset(target, b.CreateMul(b.CreateAdd(done, inRun), e.number(4)));
          emitRun(fields, {at, toRow, table, count, inRun,
                           e.min(b.CreateSub(length, inRun), e.number(lanes)), atStart});
        });
        return b.CreateAdd(done, length);
      });
    });
  });
}

} // namespace mmk
