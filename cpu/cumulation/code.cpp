// Sums of floats are carried from vector to vector, or from row to row, in double: the error of an
// element is that of the few additions within its vector, however long the row.
#include "cpu/cumulation/code.h"

#include "codegen/lane_loop.h"
#include "cpu/frame.h"
#include "cpu/row_code.h"
#include "cpu/tile_memory.h"

using namespace llvm;

namespace mmk {
namespace {

class Cumulation {
public:
  Cumulation(Emitter &e, cpu::CumulateOp op, const SpacePlaces &places)
      : e(e), b(e.b), op(op), places(places), along(op.getSummedAttr().getInt()),
        columns(static_cast<int64_t>(op.getSizes().size()) - 1),
        type(e.elementType(cast<mlir::MemRefType>(op.getOutputs()[0].getType()).getElementType())),
        wide(type->isFloatTy() ? b.getDoubleTy() : type), lanes(e.target.lanes) {}

  void emit();

private:
  /// Addresses at the current iteration: of the element, of its sum, and of the sum before the
  /// first element (null: none).
  struct Pointers {
    Value *from, *to, *before;
  };
  Pointers moved(const Pointers &at, int64_t dim, Value *index);
  /// Loops over all dimensions but some.
  void nest(ArrayRef<int64_t> without, const Pointers &at,
            function_ref<void(const Pointers &)> body, int64_t dim = 0);
  /// One element after the other.
  void emitPlain(const Pointers &at);
  void emitRow(const Pointers &at);
  /// All rows of some columns, below `width`.
  void emitStrip(const Pointers &at, Value *width);
  Value *loadLanes(Value *from, Value *count) {
    Type *vector = e.vectorOf(type, lanes);
    return count ? e.loadSome(vector, from, count) : e.load(vector, from);
  }
  void store(Value *sums, Value *to, Value *count);
  Value *isDense();
  /// Whether every vector of sums can be stored aligned.
  Value *isAligned();

  /// What precedes the first element, of one column.
  Value *start(const Pointers &at);
  Value *plus(Value *x, Value *y) {
    return x->getType()->isFPOrFPVectorTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  }
  Value *widened(Value *x) {
    return type == wide ? x : b.CreateFPExt(x, x->getType()->getWithNewType(wide));
  }
  Value *narrowed(Value *x) {
    return type == wide ? x : b.CreateFPTrunc(x, x->getType()->getWithNewType(type));
  }
  Value *bytes(Value *elements, Type *of) { return b.CreateMul(elements, e.number(e.bytesOf(of))); }
  /// The sums of the lanes up to each.
  Value *withinVector(Value *x);

  Emitter &e;
  IRBuilder<> &b;
  cpu::CumulateOp op;
  const SpacePlaces &places;
  const int64_t along, columns;
  Type *type, *wide;
  const unsigned lanes;
  bool streams = false;
  static constexpr int64_t widthOfStrip = 2048; ///< columns, whose sums stay in L1
};

Cumulation::Pointers Cumulation::moved(const Pointers &at, int64_t dim, Value *index) {
  auto along = [&](Value *pointer, const SpacePlaces::Place &place) {
    return e.offset(pointer, b.CreateMul(index, place.strides[dim]));
  };
  return {along(at.from, places.inputs[0]), along(at.to, places.outputs[0]),
          at.before ? along(at.before, places.inputs[1]) : nullptr};
}

void Cumulation::nest(ArrayRef<int64_t> without, const Pointers &at,
                      function_ref<void(const Pointers &)> body, int64_t dim) {
  if (dim > columns)
    return body(at);
  if (is_contained(without, dim))
    return nest(without, at, body, dim + 1);
  e.loop(e.number(0), places.sizes[dim], e.number(1),
         [&](Value *index) { nest(without, moved(at, dim, index), body, dim + 1); });
}

Value *Cumulation::start(const Pointers &at) {
  return at.before ? widened(e.load(type, at.before)) : Constant::getNullValue(wide);
}

void Cumulation::emitPlain(const Pointers &at) {
  e.loop(e.number(0), places.sizes[along], e.number(1), {start(at)},
         [&](Value *index, ArrayRef<Value *> sum) {
           const Pointers own = moved(at, along, index);
           Value *next = plus(sum[0], widened(e.load(type, own.from)));
           e.store(narrowed(next), own.to);
           return SmallVector<Value *>{next};
         });
}

Value *Cumulation::withinVector(Value *x) {
  // A rotation and a masked addition; of zeros shifted in, LLVM makes slower instructions.
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    SmallVector<int> order;
    SmallVector<Constant *> takes;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      order.push_back((lane + lanes - distance) % lanes);
      takes.push_back(b.getInt1(lane >= distance));
    }
    x = b.CreateSelect(ConstantVector::get(takes), plus(x, b.CreateShuffleVector(x, order)), x);
  }
  return x;
}

void Cumulation::emitRow(const Pointers &at) {
  emitLoop(e, {e.number(0), places.sizes[along], {1}}, {start(at)},
           [&](const LaneStep &step, ArrayRef<Value *> before) {
             Value *from = e.offset(at.from, bytes(step.at, type)),
                   *to = e.offset(at.to, bytes(step.at, type));
             if (streams)
               e.prefetch(e.offset(from, CpuTuning(e.target).streamPrefetchBytes));
             Value *own = withinVector(loadLanes(from, step.count));
             store(plus(own, e.splat(narrowed(before[0]), lanes)), to, step.count);
             return Carried{plus(before[0], widened(b.CreateExtractElement(own, lanes - 1)))};
           });
}

void Cumulation::emitStrip(const Pointers &at, Value *width) {
  Type *state = e.vectorOf(wide, lanes);
  const LaneLoop columns{e.number(0), width, {1}};
  auto place = [&](Value *column) { return e.offset(places.scratch, bytes(column, wide)); };
  auto load = [&](Value *pointer, const LaneStep &step) {
    return widened(loadLanes(e.offset(pointer, bytes(step.at, type)), step.count));
  };
  emitLoop(e, columns, [&](const LaneStep &step) {
    e.store(at.before ? load(at.before, step) : Constant::getNullValue(state), place(step.at));
  });
  e.loop(e.number(0), places.sizes[along], e.number(1), [&](Value *row) {
    const Pointers own = moved(at, along, row);
    emitLoop(e, columns, [&](const LaneStep &step) {
      if (streams) // the element below
        e.prefetch(e.offset(moved(own, along, e.number(1)).from, bytes(step.at, type)),
                   /*level=*/2);
      Value *sum = plus(e.load(state, place(step.at)), load(own.from, step));
      e.store(sum, place(step.at));
      store(narrowed(sum), e.offset(own.to, bytes(step.at, type)), step.count);
    });
  });
}

void Cumulation::store(Value *sums, Value *to, Value *count) {
  if (count)
    return e.storeSome(sums, to, count);
  if (!streams)
    return e.store(sums, to);
  storeStreamed(e, sums, to);
}

Value *Cumulation::isAligned() {
  const SpacePlaces::Place &to = places.outputs[0];
  Value *all = b.CreatePtrToInt(to.pointer, e.i64());
  for (int64_t dim = 0; dim < columns; ++dim)
    all = b.CreateOr(all, to.strides[dim]);
  return b.CreateICmpEQ(b.CreateAnd(all, e.number(lanes * e.bytesOf(type) - 1)), e.number(0));
}

// Whether elements and sums are dense along the columns, of which there are enough for a vector.
Value *Cumulation::isDense() {
  Value *dense = b.CreateICmpSGE(places.sizes[columns], e.number(lanes / 4));
  auto check = [&](const SpacePlaces::Place &place) {
    dense = b.CreateAnd(dense, b.CreateICmpEQ(place.strides[columns], e.number(e.bytesOf(type))));
  };
  check(places.inputs[0]);
  check(places.outputs[0]);
  if (places.inputs.size() > 1 && along != columns)
    check(places.inputs[1]);
  return dense;
}

void Cumulation::emit() {
  const Pointers first = {places.inputs[0].pointer, places.outputs[0].pointer,
                          places.inputs.size() > 1 ? places.inputs[1].pointer : nullptr};
  Value *dense = isDense();
  Value *streamed =
      b.CreateAnd(b.CreateAnd(dense, isAligned()), b.CreateICmpNE(places.streams, e.number(0)));
  auto emitDense = [&] {
    if (along == columns)
      return nest({along}, first, [&](const Pointers &at) { emitRow(at); });
    nest({along, columns}, first, [&](const Pointers &at) {
      e.loop(e.number(0), places.sizes[columns], e.number(widthOfStrip), [&](Value *column) {
        emitStrip(moved(at, columns, column),
                  e.min(b.CreateSub(places.sizes[columns], column), e.number(widthOfStrip)));
      });
    });
  };
  e.when(streamed, [&] {
    streams = true;
    emitDense();
    streams = false;
    fenceStreamed(e);
  });
  e.when(b.CreateAnd(dense, b.CreateNot(streamed)), emitDense);
  e.when(b.CreateNot(dense),
         [&] { nest({along}, first, [&](const Pointers &at) { emitPlain(at); }); });
}

} // namespace

void emitCumulationTile(Emitter &e, cpu::CumulateOp op, ProgramValues &values) {
  SpacePlaces places = placesOf(e, op, values);
  Value *isFar = e.b.CreateICmpSGE(bytesOf(e, values, op.getOutputs()[0]),
                                   e.number(CpuTuning(e.target).streamedBytes));
  places.streams = e.b.CreateZExt(isFar, e.i64());
  SmallVector<Value **> fields = places.fields();
  fields.push_back(&places.streams);
  const Frame frame(e, fields);
  Function *tile =
      e.helper("cumulate_" + std::to_string(e.module.size()), 1, 0, {}, [&](Function *f) {
        Frame(e, f->getArg(0)).load(fields);
        Cumulation(e, op, places).emit();
      });
  e.b.CreateCall(tile, {frame.address()});
}

} // namespace mmk
