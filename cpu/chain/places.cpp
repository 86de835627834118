#include "cpu/chain/places.h"

#include "codegen/region.h"
#include "cpu/frame.h"
#include "cpu/tile_code.h"

using namespace llvm;

namespace mmk {

SmallVector<Value **> ChainPlaces::fields() {
  SmallVector<Value **> all = {&m, &n, &allRows};
  auto add = [&](Plane &plane) { all.append({&plane.pointer, &plane.row, &plane.column}); };
  for (First &first : firsts) {
    add(first.a);
    add(first.b);
    all.push_back(&first.k);
  }
  for (Second &second : seconds) {
    add(second.v);
    all.append({&second.columns, &second.context});
  }
  all.append(rows.fields());
  return all;
}

ChainPlaces ChainPlaces::in(Emitter &e, Value *frame) const {
  ChainPlaces inside = *this;
  Frame(e, frame).load(inside.fields());
  return inside;
}

namespace {

/// The tensors of a list one after the other, each with its offsets and dimensions.
class Views {
public:
  Views(Emitter &e, ProgramValues &values, mlir::OperandRange tensors, mlir::OperandRange offsets,
        ArrayRef<int64_t> along)
      : e(e), values(values), tensors(tensors), offsets(offsets), along(along) {}

  struct Some {
    mlir::OperandRange tensors, offsets;
    ArrayRef<int64_t> along;
  };
  Some take(size_t count) {
    size_t offsetCount = 0;
    for (mlir::Value tensor : tensors.take_front(count))
      offsetCount += cast<mlir::MemRefType>(tensor.getType()).getRank();
    const Some taken = {tensors.take_front(count), offsets.take_front(offsetCount),
                        along.take_front(2 * count)};
    tensors = tensors.drop_front(count);
    offsets = offsets.drop_front(offsetCount);
    along = along.drop_front(2 * count);
    return taken;
  }
  Plane next() {
    const Some one = take(1);
    return planeOf(e, values, one.tensors[0], one.offsets, one.along);
  }

private:
  Emitter &e;
  ProgramValues &values;
  mlir::OperandRange tensors, offsets;
  ArrayRef<int64_t> along;
};

} // namespace

ChainPlaces placesOf(Emitter &e, cpu::ChainOp op, ProgramValues &values,
                     SmallVectorImpl<Epilogue> &epilogues) {
  ChainPlaces places;
  Views a(e, values, op.getA(), op.getAOffsets(), op.getAAlong()),
      b(e, values, op.getB(), op.getBOffsets(), op.getBAlong()),
      v(e, values, op.getV(), op.getVOffsets(), op.getVAlong()),
      behind(e, values, op.getBehind(), op.getBehindOffsets(), op.getBehindAlong()),
      products(e, values, op.getProducts(), op.getProductOffsets(), op.getProductAlong());
  places.m = values.value(op.getM());
  places.n = values.value(op.getN());
  places.allRows = values.global(op.getA()[0]).extents[op.getAAlong()[0]];
  for (mlir::Value depth : op.getDepths()) {
    const Plane left = a.next();
    places.firsts.push_back({left, b.next(), values.value(depth)});
  }
  for (auto [i, columns] : enumerate(op.getColumns())) {
    mlir::Block &region = op.getEpilogues()[i].front();
    const Views::Some inputs = behind.take(op.behindOf(i).count),
                      results = products.take(op.resultsOf(i).count);
    epilogues.emplace_back(e, region, e.f32(), inputs.tensors, inputs.along, results.tensors);
    const Plane plane = v.next();
    places.seconds.push_back(
        {plane, values.value(columns),
         epilogues.back().context(
             planesOf(e, values, inputs.tensors, inputs.offsets, inputs.along),
             planesOf(e, values, results.tensors, results.offsets, results.along),
             scalarsFor(region, values))});
  }
  places.rows.inputs =
      placesOf(e, values, op.getInputs(), op.getInputOffsets(), op.getInputAlong());
  const SpacePlaces::Place scores = {places.firsts[0].a.pointer, {e.number(0), e.number(4)}};
  places.rows.inputs.insert(places.rows.inputs.begin(), op.getA().size(), scores);
  places.rows.outputs =
      placesOf(e, values, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong());
  places.rows.scalars = scalarsFor(op.getBody().front(), values);
  places.rows.scratch = values.buffer(op.getScratch(), {});
  return places;
}

} // namespace mmk
