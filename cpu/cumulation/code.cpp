// Sums of floats are carried from vector to vector, or from row to row, in double: the error of an
// element is that of the few additions within its vector, however long the row.
#include "cpu/cumulation/code.h"

#include "codegen/lane_loop.h"
#include "cpu/frame.h"
#include "cpu/tensor_code.h"
#include "cpu/tile_memory.h"
#include "cpu/tuning.h"

using namespace llvm;

namespace mmk {
namespace {

class Cumulation : SpaceCode {
public:
  Cumulation(Emitter &e, cpu::CumulateOp op, SpacePlaces places)
      : SpaceCode(e, cpu::tensorsOf(op, op.getSizes().size()), std::move(places)),
        along(op.getSummedAttr().getInt()),
        type(e.elementType(cast<mlir::MemRefType>(op.getOutputs()[0].getType()).getElementType())),
        wide(type->isFloatTy() ? b.getDoubleTy() : type) {}

  void emit();

private:
  /// One element after the other.
  void emitPlain(const Pointers &at);
  void emitRow(const Pointers &at);
  /// All rows of some columns, below `width`.
  void emitStrip(const Pointers &at, Value *width);
  Value *loadLanes(Value *from, Value *count) {
    Type *vector = e.vectorOf(type, lanes());
    return count ? e.loadSome(vector, from, count) : e.load(vector, from);
  }
  void store(Value *sums, Value *to, Value *count);
  /// The sum before the first element; null: none.
  static Value *before(const Pointers &at) { return at.inputs.size() > 1 ? at.inputs[1] : nullptr; }
  /// What precedes the first element, of one column.
  Value *precedes(const Pointers &at);
  Value *plus(Value *x, Value *y) {
    return x->getType()->isFPOrFPVectorTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  }
  Value *widened(Value *x) {
    return type == wide ? x : b.CreateFPExt(x, x->getType()->getWithNewType(wide));
  }
  Value *narrowed(Value *x) {
    return type == wide ? x : b.CreateFPTrunc(x, x->getType()->getWithNewType(type));
  }
  Value *bytes(Value *elements, Type *of) { return e.times(elements, e.bytesOf(of)); }
  /// The sums of the lanes up to each.
  Value *withinVector(Value *x);

  const int64_t along;
  Type *type, *wide;
  bool streams = false;
  static constexpr int64_t widthOfStrip = 2048; ///< columns, whose sums stay in L1
};

Value *Cumulation::precedes(const Pointers &at) {
  return before(at) ? widened(e.load(type, before(at))) : Constant::getNullValue(wide);
}

void Cumulation::emitPlain(const Pointers &at) {
  e.loop(e.number(0), places.sizes[along], e.number(1), {precedes(at)},
         [&](Value *index, ArrayRef<Value *> sum) {
           const Pointers own = moved(at, along, index);
           Value *next = plus(sum[0], widened(e.load(type, own.inputs[0])));
           e.store(narrowed(next), own.outputs[0]);
           return SmallVector<Value *>{next};
         });
}

Value *Cumulation::withinVector(Value *x) {
  // A rotation and a masked addition; of zeros shifted in, LLVM makes slower instructions.
  for (unsigned distance = 1; distance < lanes(); distance *= 2) {
    SmallVector<int> order;
    SmallVector<Constant *> takes;
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      order.push_back((lane + lanes() - distance) % lanes());
      takes.push_back(b.getInt1(lane >= distance));
    }
    x = b.CreateSelect(ConstantVector::get(takes), plus(x, b.CreateShuffleVector(x, order)), x);
  }
  return x;
}

void Cumulation::emitRow(const Pointers &at) {
  emitLoop(e, {e.number(0), places.sizes[along], {1}}, {precedes(at)},
           [&](const LaneStep &step, ArrayRef<Value *> before) {
             Value *from = e.offset(at.inputs[0], bytes(step.at, type)),
                   *to = e.offset(at.outputs[0], bytes(step.at, type));
             if (streams)
               e.prefetch(e.offset(from, CpuTuning(e.target).streamPrefetchBytes));
             Value *own = withinVector(loadLanes(from, step.count));
             store(plus(own, e.splat(narrowed(before[0]), lanes())), to, step.count);
             return Carried{plus(before[0], widened(b.CreateExtractElement(own, lanes() - 1)))};
           });
}

void Cumulation::emitStrip(const Pointers &at, Value *width) {
  Type *state = e.vectorOf(wide, lanes());
  const LaneLoop strip{e.number(0), width, {1}};
  auto place = [&](Value *column) { return e.offset(places.scratch, bytes(column, wide)); };
  auto load = [&](Value *pointer, const LaneStep &step) {
    return widened(loadLanes(e.offset(pointer, bytes(step.at, type)), step.count));
  };
  emitLoop(e, strip, [&](const LaneStep &step) {
    e.store(before(at) ? load(before(at), step) : Constant::getNullValue(state), place(step.at));
  });
  e.loop(e.number(0), places.sizes[along], e.number(1), [&](Value *row) {
    const Pointers own = moved(at, along, row);
    emitLoop(e, strip, [&](const LaneStep &step) {
      if (streams) // the element below
        e.prefetch(e.offset(moved(own, along, e.number(1)).inputs[0], bytes(step.at, type)),
                   /*level=*/2);
      Value *sum = plus(e.load(state, place(step.at)), load(own.inputs[0], step));
      e.store(sum, place(step.at));
      store(narrowed(sum), e.offset(own.outputs[0], bytes(step.at, type)), step.count);
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

void Cumulation::emit() {
  Value *isEnough = b.CreateICmpSGE(places.sizes[columns()], e.number(lanes() / 4)),
        *dense = b.CreateAnd(isEnough, areDense(e, tensors, places)),
        *streamed = b.CreateAnd(
            {dense, areAligned(e, places.outputs), b.CreateICmpNE(places.streams, e.number(0))});
  auto nestWithout = [&](ArrayRef<int64_t> without, function_ref<void(const Pointers &)> body) {
    auto all = to_vector(seq<int64_t>(0, columns() + 1));
    erase_if(all, [&](int64_t dim) { return is_contained(without, dim); });
    nest(all, start(), body);
  };
  auto emitDense = [&] {
    if (along == columns())
      return nestWithout({along}, [&](const Pointers &at) { emitRow(at); });
    nestWithout({along, columns()}, [&](const Pointers &at) {
      e.loop(e.number(0), places.sizes[columns()], e.number(widthOfStrip), [&](Value *column) {
        emitStrip(moved(at, columns(), column),
                  e.min(b.CreateSub(places.sizes[columns()], column), e.number(widthOfStrip)));
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
         [&] { nestWithout({along}, [&](const Pointers &at) { emitPlain(at); }); });
}

} // namespace

void emitCumulationTile(Emitter &e, cpu::CumulateOp op, ProgramValues &values) {
  SpacePlaces places = spaceOf(e, op, values);
  Value *isFar = e.b.CreateICmpSGE(bytesOf(e, values, op.getOutputs()[0]),
                                   e.number(CpuTuning(e.target).streamedBytes));
  places.streams = e.b.CreateZExt(isFar, e.i64());
  const SmallVector<Value **> fields = places.fields();
  const Frame frame(e, fields);
  Function *tile =
      e.helper("cumulate_" + std::to_string(e.module.size()), 1, 0, {}, [&](Function *f) {
        Frame(e, f->getArg(0)).load(fields);
        Cumulation(e, op, places).emit();
      });
  e.b.CreateCall(tile, {frame.address()});
}

} // namespace mmk
