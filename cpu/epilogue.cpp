#include "cpu/epilogue.h"

#include "codegen/region.h"
#include "cpu/frame.h"
#include "cpu/tile_elements.h"
#include "cpu/tile_memory.h"
#include "cpu/tuning.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace llvm;

namespace mmk {
namespace {

int64_t weightOf(mlir::Operation &op) {
  if (cpu::isLongFunction(&op))
    return 25;
  if (isa<cpu::RandomOp, cpu::GatherOp, cpu::GatherRunOp>(op))
    return 100;
  return isa<mlir::arith::TruncFOp>(op) ? 3 : 1;
}

} // namespace

Epilogue::Epilogue(Emitter &e, mlir::Block &region, Type *sum, mlir::ValueRange inputs,
                   ArrayRef<int64_t> inputAlong, mlir::ValueRange outputs)
    : e(e), b(e.b), region(region), sum(sum), inputs(inputs.begin(), inputs.end()),
      outputs(outputs.begin(), outputs.end()), inputAlong(inputAlong) {}

Type *Epilogue::elementOf(mlir::Value tensor) {
  return inMemory(e, e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType()));
}

Value *Epilogue::toRegion(mlir::Value tensor, Value *stored) {
  return fromMemory(e, stored,
                    e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType()));
}

Value *Epilogue::field(Value *context, int64_t index, Type *type) {
  return Frame(e, context).get(index, type);
}

Value *Epilogue::context(ArrayRef<Plane> inputPlanes, ArrayRef<Plane> outputPlanes,
                         ArrayRef<Value *> scalars) {
  SmallVector<Value *> fields;
  Value *allDense = b.getTrue();
  for (auto [i, plane] : enumerate(inputPlanes)) {
    fields.append({plane.pointer, plane.row, plane.column});
    if (inputAlong[2 * i + 1] >= 0)
      allDense = b.CreateAnd(
          allDense, b.CreateICmpEQ(plane.column, e.number(e.bytesOf(elementOf(inputs[i])))));
  }
  for (const Plane &plane : outputPlanes)
    fields.append({plane.pointer, plane.row});
  fields.push_back(b.CreateZExt(allDense, e.i64()));
  fields.append(scalars.begin(), scalars.end());
  const Frame context(e, fields.size());
  for (auto [i, value] : enumerate(fields))
    context.set(i, value);
  return context.address();
}

Value *Epilogue::isDense(Value *context) { return Frame(e, context).isSet(dense()); }

bool Epilogue::isLight() const {
  int64_t weight = 0;
  for (mlir::Operation &op : region.without_terminator())
    weight += weightOf(op);
  return weight <= CpuTuning(e.target).lightRegion;
}

DenseMap<mlir::Value, Value *> Epilogue::scalarValues(Value *context) {
  DenseMap<mlir::Value, Value *> known;
  for (auto [i, scalar] : enumerate(scalarsOf(region)))
    known[scalar] =
        e.splat(field(context, dense() + 1 + i, e.elementType(scalar.getType())), e.target.lanes);
  return known;
}

Value *Epilogue::inputAt(Value *context, int64_t i, Value *row, Value *column) {
  Value *pointer = field(context, 3 * i, e.pointer());
  Value *at = b.CreateMul(row, field(context, 3 * i + 1, e.i64()));
  return e.offset(pointer,
                  b.CreateAdd(at, b.CreateMul(column, field(context, 3 * i + 2, e.i64()))));
}

Value *Epilogue::outputAt(Value *context, int64_t i, Value *row, Value *column) {
  const int64_t first = 3 * inputs.size() + 2 * i;
  Value *at = b.CreateMul(row, field(context, first + 1, e.i64()));
  return e.offset(field(context, first, e.pointer()),
                  e.plus(at, column, e.bytesOf(elementOf(outputs[i]))));
}

Value *Epilogue::loadAny(Value *context, int64_t i, Value *row, Value *column, Value *count) {
  Type *type = elementOf(inputs[i]);
  const unsigned lanes = e.target.lanes;
  Value *start = inputAt(context, i, row, column);
  if (isSource(argument(i)))
    return start;
  if (inputAlong[2 * i + 1] < 0)
    return toRegion(inputs[i], e.splat(e.load(type, start), lanes));
  Value *stored = e.either(
      isDense(context), [&] { return e.loadSome(e.vectorOf(type, lanes), start, count); },
      [&]() -> Value * {
        Value *stride = field(context, 3 * i + 2, e.i64());
        return loadStrided(e, e.vectorOf(type, lanes), start, stride, count);
      });
  return toRegion(inputs[i], stored);
}

void Epilogue::apply(DenseMap<mlir::Value, Value *> &known, SmallVectorImpl<Value *> &yielded) {
  complete &= emitRegion(e, region, e.target.lanes, known, yielded,
                         [&](mlir::Operation *op, ArrayRef<Value *> operands) {
                           return emitTileElement(e, op, operands);
                         });
}

void Epilogue::store(ArrayRef<Value *> sums, int64_t vectors, Value *context, Value *row,
                     Value *column, Value *columns) {
  const int64_t lanes = e.target.lanes, rows = sums.size() / vectors, count = inputs.size();
  const bool masked = e.target.masks();
  auto countAt = [&](int64_t v) { return b.CreateSub(columns, e.number(v * lanes)); };
  DenseMap<mlir::Value, Value *> known = scalarValues(context);
  // The address of a tensor's row, and its stride: loaded before the first store, as LLVM must
  // assume that a store changes the context.
  struct Place {
    Value *pointer, *next;
  };
  auto placeOf = [&](int64_t field0, bool alongColumns, Type *element) {
    Value *next = field(context, field0 + 1, e.i64());
    Value *at = b.CreateMul(row, next);
    if (alongColumns)
      at = e.plus(at, column, e.bytesOf(element));
    return Place{e.offset(field(context, field0, e.pointer()), at), next};
  };
  auto load = [&](int64_t i, Value *pointer, int64_t v) {
    Type *element = elementOf(inputs[i]);
    if (isSource(argument(i)))
      return pointer;
    if (inputAlong[2 * i + 1] < 0)
      return toRegion(inputs[i], e.splat(e.load(element, pointer), lanes));
    Value *at = e.offset(pointer, v * lanes * e.bytesOf(element));
    Type *type = e.vectorOf(element, lanes);
    return toRegion(inputs[i], masked ? e.loadSome(type, at, countAt(v)) : e.load(type, at));
  };
  SmallVector<Place> from, to;
  SmallVector<Value *> ofAllRows; // inputs that are equal for all rows are loaded once
  for (int64_t i = 0; i < count; ++i) {
    from.push_back(placeOf(3 * i, inputAlong[2 * i + 1] >= 0, elementOf(inputs[i])));
    for (int64_t v = 0; v < vectors; ++v)
      ofAllRows.push_back(inputAlong[2 * i] < 0 ? load(i, from[i].pointer, v) : nullptr);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    to.push_back(placeOf(3 * count + 2 * i, true, elementOf(outputs[i])));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t v = 0; v < vectors; ++v) {
      addPositions(e, region,
                   {b.CreateAdd(row, e.number(r)), b.CreateAdd(column, e.number(v * lanes))},
                   known);
      known[region.getArgument(0)] = sums[r * vectors + v];
      for (int64_t i = 0; i < count; ++i) {
        Value *shared = ofAllRows[i * vectors + v];
        known[argument(i)] = shared ? shared : load(i, from[i].pointer, v);
      }
      SmallVector<Value *> yielded;
      apply(known, yielded);
      for (auto [i, value] : enumerate(yielded)) {
        Value *at = e.offset(to[i].pointer, v * lanes * e.bytesOf(elementOf(outputs[i])));
        Value *stored = toMemory(e, value);
        if (masked)
          e.storeSome(stored, at, countAt(v));
        else
          e.store(stored, at);
      }
    }
    for (SmallVectorImpl<Place> *places : {&from, &to})
      for (Place &place : *places)
        place.pointer = e.offset(place.pointer, place.next);
  }
}

void Epilogue::prefetchOutput(int64_t rows, int64_t vectors, Value *context, Value *row,
                              Value *column) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value *first = outputAt(context, i, row, column);
    Value *next = field(context, 3 * inputs.size() + 2 * i + 1, e.i64());
    const int64_t bytes = vectors * e.target.lanes * e.bytesOf(elementOf(outputs[i]));
    e.loop(e.number(0), e.number(rows), e.number(1), {first}, [&](Value *, ArrayRef<Value *> at) {
      for (int64_t byte = 0; byte < bytes; byte += Emitter::lineBytes)
        e.prefetch(e.offset(at[0], byte), 3, /*isWritten=*/true);
      return SmallVector<Value *>{e.offset(at[0], next)};
    });
  }
}

void Epilogue::storeTogether(Value *context, ArrayRef<Value *> rows, Value *columns,
                             int64_t vectors, std::optional<int64_t> ahead) {
  const int64_t lanes = e.target.lanes, count = inputs.size();
  const DenseMap<mlir::Value, Value *> scalars = scalarValues(context);
  struct Row {
    Value *number;
    DenseMap<mlir::Value, Value *> known;
    SmallVector<Value *> from, to;
  };
  SmallVector<Row> each;
  for (Value *number : rows) {
    Row row{number, scalars, {}, {}};
    for (int64_t i = 0; i < count; ++i) {
      row.from.push_back(e.offset(field(context, 3 * i, e.pointer()),
                                  b.CreateMul(number, field(context, 3 * i + 1, e.i64()))));
      if (isSource(argument(i)))
        row.known[argument(i)] = row.from[i];
      else if (inputAlong[2 * i + 1] < 0)
        row.known[argument(i)] =
            toRegion(inputs[i], e.splat(e.load(elementOf(inputs[i]), row.from[i]), lanes));
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      row.to.push_back(outputAt(context, i, number, e.number(0)));
    each.push_back(std::move(row));
  }
  // A vector of a row, at its column plus a number of vectors.
  auto at = [&](Value *start, mlir::Value tensor, Value *column, int64_t vector) {
    const int64_t bytes = e.bytesOf(elementOf(tensor));
    return e.offset(e.offset(start, b.CreateMul(column, e.number(bytes))), vector * lanes * bytes);
  };
  e.loop(e.number(0), columns, e.number(vectors * lanes), [&](Value *column) {
    DenseMap<std::pair<int64_t, int64_t>, Value *> ofAllRows;
    auto load = [&](const Row &row, int64_t i, int64_t vector) -> Value * {
      const bool isOfAllRows = inputAlong[2 * i] < 0;
      if (Value *known = ofAllRows.lookup({i, vector}))
        return known;
      Value *place = at(row.from[i], inputs[i], column, vector);
      Value *value = toRegion(inputs[i], e.load(e.vectorOf(elementOf(inputs[i]), lanes), place));
      if (isOfAllRows)
        ofAllRows[{i, vector}] = value;
      else if (ahead && vector * lanes * e.bytesOf(elementOf(inputs[i])) % Emitter::lineBytes == 0)
        e.prefetch(e.offset(place, *ahead));
      return value;
    };
    for (Row &row : each) {
      SmallVector<SmallVector<Value *>> waiting(outputs.size());
      for (int64_t vector = 0; vector < vectors; ++vector) {
        for (int64_t i = 0; i < count; ++i)
          if (inputAlong[2 * i + 1] >= 0)
            row.known[argument(i)] = load(row, i, vector);
        addPositions(e, region, {row.number, b.CreateAdd(column, e.number(vector * lanes))},
                     row.known);
        SmallVector<Value *> yielded;
        apply(row.known, yielded);
        for (auto [i, element] : enumerate(yielded)) {
          Value *value = toMemory(e, element);
          if (!ahead) {
            e.store(value, at(row.to[i], outputs[i], column, vector));
            continue;
          }
          waiting[i].push_back(value);
          const int64_t parts = 4 / e.bytesOf(elementOf(outputs[i]));
          if (int64_t(waiting[i].size()) < parts)
            continue;
          storeStreamed(e, e.joined(waiting[i]),
                        at(row.to[i], outputs[i], column, vector + 1 - parts));
          waiting[i].clear();
        }
      }
    }
  });
}

bool Epilogue::inBands() const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputAlong[2 * i] < 0 && inputAlong[2 * i + 1] >= 0)
      return e.target.longStreams;
  return false;
}

int64_t Epilogue::vectorsOfStore() {
  int64_t most = 1;
  for (mlir::Value output : outputs)
    most = std::max(most, 4 / e.bytesOf(elementOf(output)));
  return most;
}

void Epilogue::streamRows(Value *context, Value *m, Value *columns) {
  const CpuTuning tuning(e.target);
  const int64_t vectors = vectorsOfStore();
  Value *height = e.number(0);
  if (inBands()) {
    height = b.CreateUDiv(m, e.number(tuning.bands));
    e.loop(e.number(0), height, e.number(1), [&](Value *row) {
      SmallVector<Value *> rows{row};
      while (int64_t(rows.size()) < tuning.bands)
        rows.push_back(b.CreateAdd(rows.back(), height));
      storeTogether(context, rows, columns, tuning.storesOfBand * vectors,
                    tuning.bandPrefetchBytes);
    });
  }
  e.loop(b.CreateMul(height, e.number(tuning.bands)), m, e.number(1), [&](Value *row) {
    storeTogether(context, row, columns, vectors, tuning.streamPrefetchBytes);
  });
}

void Epilogue::storeRows(Value *context, Value *m, Value *n, Value *total, Function *finish) {
  const CpuTuning tuning(e.target);
  // Whether every store to every row of the results is aligned.
  const int64_t lanes = e.target.lanes;
  Value *places = e.number(0);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int64_t first = 3 * inputs.size() + 2 * i;
    for (int64_t part : {first, first + 1})
      places = b.CreateOr(places, field(context, part, e.i64()));
  }
  Value *unaligned = b.CreateAnd(places, e.number(lanes * 4 - 1));
  Value *streams = b.CreateAnd(b.CreateICmpSGE(total, e.number(tuning.streamedBytes)),
                               b.CreateICmpEQ(unaligned, e.number(0)));
  const int64_t together = vectorsOfStore() * (inBands() ? tuning.storesOfBand : 1);
  Value *whole = e.roundDown(n, lanes);
  if (together > 1)
    whole = b.CreateSelect(streams, e.roundDown(n, together * lanes), whole);
  whole = b.CreateSelect(isDense(context), whole, e.number(0));
  e.when(streams, [&] {
    streamRows(context, m, whole);
    fenceStreamed(e);
  });
  e.when(b.CreateNot(streams), [&] {
    e.loop(e.number(0), m, e.number(1),
           [&](Value *row) { storeTogether(context, row, whole, 1, std::nullopt); });
  });
  e.when(b.CreateICmpSLT(whole, n), [&] {
    b.CreateCall(finish,
                 {context, context, e.number(0), e.number(0), whole, m, b.CreateSub(n, whole)});
  });
}

Function *Epilogue::finish(const std::string &name) {
  return e.helper(name, 2, 5, {}, [&](Function *f) {
    Value *sums = f->getArg(0), *context = f->getArg(1), *sumRow = f->getArg(2),
          *row = f->getArg(3), *column = f->getArg(4), *rows = f->getArg(5),
          *columns = f->getArg(6);
    const int64_t lanes = e.target.lanes;
    const DenseMap<mlir::Value, Value *> scalars = scalarValues(context);
    e.loop(e.number(0), rows, e.number(1), [&](Value *r) {
      e.loop(e.number(0), columns, e.number(lanes), [&](Value *c) {
        Value *count = e.min(b.CreateSub(columns, c), e.number(lanes));
        Value *atRow = b.CreateAdd(row, r), *atColumn = b.CreateAdd(column, c);
        DenseMap<mlir::Value, Value *> known = scalars;
        if (sum)
          known[region.getArgument(0)] =
              e.load(e.vectorOf(sum, lanes), e.offset(sums, e.plus(b.CreateMul(r, sumRow), c, 4)));
        for (size_t i = 0; i < inputs.size(); ++i)
          known[argument(i)] = loadAny(context, i, atRow, atColumn, count);
        addPositions(e, region, {atRow, atColumn}, known);
        SmallVector<Value *> yielded;
        apply(known, yielded);
        for (auto [i, value] : enumerate(yielded))
          e.storeSome(toMemory(e, value), outputAt(context, i, atRow, atColumn), count);
      });
    });
  });
}

bool emitElementwise(Emitter &e, cpu::ElementwiseOp op, ArrayRef<Plane> inputs,
                     ArrayRef<Plane> outputs, ArrayRef<Value *> scalars, Value *m, Value *n,
                     Value *total) {
  SmallVector<int64_t> along(op.getInputAlong());
  // A single row has no vectors shared with other rows.
  if (op.getOutputAlong()[0] < 0)
    for (size_t i = 0; i < along.size(); i += 2)
      along[i] = along[i + 1];
  Epilogue epilogue(e, op.getBody().front(), nullptr, op.getInputs(), along, op.getOutputs());
  Value *context = epilogue.context(inputs, outputs, scalars);
  const std::string name = "elementwise_" + std::to_string(e.module.size());
  Function *finish = epilogue.finish(name + "_finish");
  Function *rows = e.helper(name, 1, 3, {}, [&](Function *f) {
    epilogue.storeRows(f->getArg(0), f->getArg(1), f->getArg(2), f->getArg(3), finish);
  });
  e.b.CreateCall(rows, {context, m, n, total});
  return epilogue.complete;
}

} // namespace mmk
