#include "cpu/epilogue.h"

#include "codegen/lane_loop.h"
#include "codegen/region.h"
#include "cpu/frame.h"
#include "cpu/tile_memory.h"
#include "cpu/tuning.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallVectorExtras.h"

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

/// An element of a tensor in memory.
Type *elementOf(Emitter &e, mlir::Value tensor) {
  return inMemory(e, e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType()));
}

} // namespace

Epilogue::Epilogue(Emitter &e, mlir::Block &region, Type *sum)
    : e(e), b(e.b), region(region), sum(sum), tensors(cpu::tensorsOf(region)) {}

/// Fields of the context: whether all inputs are dense, then the places.
Value *Epilogue::context(SpacePlaces places) {
  Value *dense = areDense(e, tensors.inputs, tensors.inputAlong, places.inputs);
  SmallVector<Value **> fields = {&dense};
  fields.append(places.fields());
  return Frame(e, fields).address();
}

Value *Epilogue::isDense(Value *context) { return Frame(e, context).isSet(0); }

// Before the first store, as LLVM must assume that a store changes the context.
TensorCode Epilogue::in(Value *context) {
  const Frame frame(e, context);
  int64_t next = 1;
  SpacePlaces places;
  auto load = [&](SmallVectorImpl<SpacePlaces::Place> &to, size_t count) {
    for (size_t i = 0; i < count; ++i, next += 3)
      to.push_back({frame.pointer(next), {frame.number(next + 1), frame.number(next + 2)}});
  };
  load(places.inputs, tensors.inputs.size());
  load(places.outputs, tensors.outputs.size());
  for (mlir::Value scalar : scalarsOf(region))
    places.scalars.push_back(frame.get(next++, e.elementType(scalar.getType())));
  return {e, region, tensors, places, /*isDense=*/true};
}

bool Epilogue::isLight() const {
  int64_t weight = 0;
  for (mlir::Operation &op : region.without_terminator())
    weight += weightOf(op);
  return weight <= CpuTuning(e.target).lightRegion;
}

SmallVector<Value *> Epilogue::apply(TensorCode &code, const Pointers &at, Value *column,
                                     Known known) {
  SmallVector<mlir::Operation *> ops;
  for (mlir::Operation &op : region.without_terminator())
    ops.push_back(&op);
  code.addPositions(at, column, known);
  code.compute(ops, known);
  complete &= code.complete;
  return map_to_vector(region.getTerminator()->getOperands(),
                       [&](mlir::Value value) { return code.valueOf(value, known); });
}

Epilogue::Pointers Epilogue::placeOf(TensorCode &code, Value *row, Value *column) {
  return code.moved(code.moved(code.start(), 0, row), 1, column);
}

void Epilogue::store(ArrayRef<Value *> sums, int64_t vectors, Value *context, Value *row,
                     Value *column, Value *columns) {
  TensorCode code = in(context);
  const int64_t lanes = e.target.lanes, rows = sums.size() / vectors;
  SmallVector<Value *> ofAllRows(vectors * tensors.inputs.size());
  Pointers at = placeOf(code, row, column);
  for (int64_t r = 0; r < rows; ++r, at = code.moved(at, 0, e.number(1)))
    for (int64_t v = 0; v < vectors; ++v) {
      Value *first = e.number(v * lanes),
            *count = e.target.masks() ? b.CreateSub(columns, first) : nullptr;
      Known known = code.scalars;
      known[region.getArgument(0)] = sums[r * vectors + v];
      for (size_t i = 0; i < tensors.inputs.size(); ++i) {
        Value *&loaded = ofAllRows[i * vectors + v];
        if (!loaded || code.inputAlong(i, 0) >= 0)
          loaded = code.loadInput(i, code.inputAt(i, at.inputs[i], first), count);
        known[code.argument(i)] = loaded;
      }
      for (auto [i, value] : enumerate(apply(code, at, first, std::move(known))))
        code.storeOutput(i, value, code.outputAt(i, at.outputs[i], first), count);
    }
}

void Epilogue::prefetchOutput(int64_t rows, int64_t vectors, Value *context, Value *row,
                              Value *column) {
  TensorCode code = in(context);
  const Pointers first = placeOf(code, row, column);
  for (auto [i, pointer] : enumerate(first.outputs)) {
    const int64_t bytes = vectors * e.target.lanes * code.bytesOfOutput(i);
    e.loop(e.number(0), e.number(rows), e.number(1), {pointer},
           [&, i = i](Value *, ArrayRef<Value *> at) {
             for (int64_t byte = 0; byte < bytes; byte += Emitter::lineBytes)
               e.prefetch(e.offset(at[0], byte), 3, /*isWritten=*/true);
             return SmallVector<Value *>{e.offset(at[0], code.places.outputs[i].strides[0])};
           });
  }
}

void Epilogue::storeTogether(TensorCode &code, ArrayRef<Value *> rows, Value *columns,
                             int64_t vectors, std::optional<int64_t> ahead) {
  const int64_t lanes = e.target.lanes;
  struct Row {
    Pointers at;
    Known known;
  };
  SmallVector<Row> each;
  for (Value *number : rows) {
    Row &row = each.emplace_back(Row{placeOf(code, number, e.number(0)), code.scalars});
    for (size_t i = 0; i < tensors.inputs.size(); ++i)
      if (code.inputAlong(i, 1) < 0)
        row.known[code.argument(i)] = code.loadInput(i, row.at.inputs[i], nullptr);
  }
  e.loop(e.number(0), columns, e.number(vectors * lanes), [&](Value *column) {
    auto at = [&](int64_t vector) { return b.CreateAdd(column, e.number(vector * lanes)); };
    SmallVector<Value *> ofAllRows(vectors * tensors.inputs.size());
    auto load = [&](const Row &row, size_t i, int64_t vector) {
      Value *&loaded = ofAllRows[i * vectors + vector];
      const bool isOfAllRows = code.inputAlong(i, 0) < 0;
      if (loaded && isOfAllRows)
        return loaded;
      Value *place = code.inputAt(i, row.at.inputs[i], at(vector));
      if (!isOfAllRows && ahead && vector * lanes * code.bytesOfInput(i) % Emitter::lineBytes == 0)
        e.prefetch(e.offset(place, *ahead));
      return loaded = code.loadInput(i, place, nullptr);
    };
    for (Row &row : each) {
      SmallVector<SmallVector<Value *>> waiting(tensors.outputs.size());
      for (int64_t vector = 0; vector < vectors; ++vector) {
        for (size_t i = 0; i < tensors.inputs.size(); ++i)
          if (code.inputAlong(i, 1) >= 0)
            row.known[code.argument(i)] = load(row, i, vector);
        for (auto [i, value] : enumerate(apply(code, row.at, at(vector), row.known))) {
          const int64_t parts = ahead ? 4 / code.bytesOfOutput(i) : 1;
          waiting[i].push_back(value);
          if (int64_t(waiting[i].size()) < parts)
            continue;
          Value *place = code.outputAt(i, row.at.outputs[i], at(vector + 1 - parts));
          if (ahead)
            storeStreamed(
                e, e.joined(map_to_vector(waiting[i], [&](Value *v) { return toMemory(e, v); })),
                place);
          else
            code.storeOutput(i, value, place, nullptr);
          waiting[i].clear();
        }
      }
    }
  });
}

bool Epilogue::inBands() const {
  for (size_t i = 0; i < tensors.inputs.size(); ++i)
    if (tensors.inputAt(i, 0) < 0 && tensors.inputAt(i, 1) >= 0)
      return e.target.longStreams;
  return false;
}

int64_t Epilogue::vectorsOfStore() {
  int64_t most = 1;
  for (mlir::Value output : tensors.outputs)
    most = std::max(most, 4 / e.bytesOf(elementOf(e, output)));
  return most;
}

void Epilogue::streamRows(TensorCode &code, Value *m, Value *columns) {
  const CpuTuning tuning(e.target);
  const int64_t vectors = vectorsOfStore();
  Value *height = e.number(0);
  if (inBands()) {
    height = b.CreateUDiv(m, e.number(tuning.bands));
    e.loop(e.number(0), height, e.number(1), [&](Value *row) {
      SmallVector<Value *> rows{row};
      while (int64_t(rows.size()) < tuning.bands)
        rows.push_back(b.CreateAdd(rows.back(), height));
      storeTogether(code, rows, columns, tuning.storesOfBand * vectors, tuning.bandPrefetchBytes);
    });
  }
  e.loop(e.times(height, tuning.bands), m, e.number(1), [&](Value *row) {
    storeTogether(code, row, columns, vectors, tuning.streamPrefetchBytes);
  });
}

void Epilogue::storeRows(Value *context, Value *m, Value *n, Value *total, Function *finish) {
  TensorCode code = in(context);
  const CpuTuning tuning(e.target);
  const int64_t lanes = e.target.lanes;
  Value *streams = b.CreateAnd(b.CreateICmpSGE(total, e.number(tuning.streamedBytes)),
                               areAligned(e, code.places.outputs));
  const int64_t together = vectorsOfStore() * (inBands() ? tuning.storesOfBand : 1);
  Value *whole = e.roundDown(n, lanes);
  if (together > 1)
    whole = b.CreateSelect(streams, e.roundDown(n, together * lanes), whole);
  whole = b.CreateSelect(isDense(context), whole, e.number(0));
  e.when(streams, [&] {
    streamRows(code, m, whole);
    fenceStreamed(e);
  });
  e.when(b.CreateNot(streams), [&] {
    e.loop(e.number(0), m, e.number(1),
           [&](Value *row) { storeTogether(code, row, whole, 1, std::nullopt); });
  });
  e.when(b.CreateICmpSLT(whole, n), [&] {
    b.CreateCall(finish,
                 {context, context, e.number(0), e.number(0), whole, m, b.CreateSub(n, whole)});
  });
}

Function *Epilogue::finish(const std::string &name) {
  return e.helper(name, 2, 5, {}, [&](Function *f) {
    const auto [sums, context, sumRow, row, column, rows, columns] = parametersOf<7>(f);
    TensorCode code = in(context);
    code.haveDenseInputs = isDense(context);
    e.loop(e.number(0), rows, e.number(1), [&](Value *r) {
      const Pointers at = placeOf(code, b.CreateAdd(row, r), column);
      emitLoop(e, {e.number(0), columns, {}}, [&](const LaneStep &step) {
        Known known = code.scalars;
        if (sum)
          known[region.getArgument(0)] =
              e.load(e.vectorOf(sum, e.target.lanes), e.at(e.at(sums, r, sumRow), step.at, 4));
        for (size_t i = 0; i < tensors.inputs.size(); ++i)
          known[code.argument(i)] =
              code.loadInput(i, code.inputAt(i, at.inputs[i], step.at), step.count);
        for (auto [i, value] : enumerate(apply(code, at, step.at, std::move(known))))
          code.storeOutput(i, value, code.outputAt(i, at.outputs[i], step.at), step.count);
      });
    });
  });
}

bool emitElementwise(Emitter &e, cpu::ElementwiseOp op, const SpacePlaces &places, Value *m,
                     Value *n, Value *total) {
  Epilogue epilogue(e, op.getBody().front(), nullptr);
  // A single row has no vectors shared with other rows.
  if (op.getOutputAlong()[0] < 0)
    epilogue.readEachRow();
  Value *context = epilogue.context(places);
  const std::string name = "elementwise_" + std::to_string(e.module.size());
  Function *finish = epilogue.finish(name + "_finish");
  Function *rows = e.helper(name, 1, 3, {}, [&](Function *f) {
    epilogue.storeRows(f->getArg(0), f->getArg(1), f->getArg(2), f->getArg(3), finish);
  });
  e.b.CreateCall(rows, {context, m, n, total});
  return epilogue.complete;
}

} // namespace mmk
