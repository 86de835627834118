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

ChainPlaces placesOf(Emitter &e, cpu::ChainOp op, ProgramValues &values,
                     SmallVectorImpl<Epilogue> &epilogues) {
  ChainPlaces places;
  const SmallVector<Plane> a = planesOf(e, values, op.getA(), op.getAOffsets(), op.getAAlong()),
                           b = planesOf(e, values, op.getB(), op.getBOffsets(), op.getBAlong()),
                           v = planesOf(e, values, op.getV(), op.getVOffsets(), op.getVAlong()),
                           behind = planesOf(e, values, op.getBehind(), op.getBehindOffsets(),
                                             op.getBehindAlong()),
                           products = planesOf(e, values, op.getProducts(), op.getProductOffsets(),
                                               op.getProductAlong());
  places.m = values.value(op.getM());
  places.n = values.value(op.getN());
  places.allRows = values.value(op.getRows());
  for (auto [i, depth] : enumerate(op.getDepths()))
    places.firsts.push_back({a[i], b[i], values.value(depth)});
  for (auto [i, columns] : enumerate(op.getColumns())) {
    mlir::Block &region = op.getEpilogues()[i].front();
    const cpu::ChainOp::Own inputs = op.behindOf(i), results = op.resultsOf(i);
    epilogues.emplace_back(e, region, e.f32(), op.getBehind().slice(inputs.first, inputs.count),
                           op.getBehindAlong().slice(2 * inputs.first, 2 * inputs.count),
                           op.getProducts().slice(results.first, results.count));
    places.seconds.push_back(
        {v[i], values.value(columns),
         epilogues.back().context(ArrayRef(behind).slice(inputs.first, inputs.count),
                                  ArrayRef(products).slice(results.first, results.count),
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
