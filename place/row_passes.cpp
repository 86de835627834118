// The passes of a row group over its rows, whole or part by part.
#include "place/online_rows.h"
#include "place/row_work.h"

#include "passes/row_space.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;

SmallVector<int64_t> TransferInserter::RowWork::outerReduced() {
  SmallVector<int64_t> dims;
  for (int64_t dim : p.space().reduced())
    if (dim != partDim() && !isJoined(dim))
      dims.push_back(dim);
  return dims;
}

/// The first input in memory with a dimension of the space, and the dimension of its tensor.
std::pair<Value, unsigned> TransferInserter::RowWork::inputAlong(int64_t dim) {
  if (dim == partDim() && ofProduct.first)
    return ofProduct;
  for (const RowInput &input : p.inputs())
    for (auto [i, own] : llvm::enumerate(input.dims))
      if (own == dim)
        return {input.tensor, i};
  llvm_unreachable("a reduced dimension is one of an input");
}

/// Of a reduced dimension, what the tile has of it: all, or a part of a row that is divided.
Value TransferInserter::RowWork::extentOf(int64_t dim) {
  if (!p.space().isDivided(dim))
    return t.dimension(p.space().names[dim]);
  const auto [tensor, own] = inputAlong(dim);
  return t.extentOf(tensor, own);
}

/// Where the part of a divided dimension starts.
Value TransferInserter::RowWork::originOf(int64_t dim) {
  const auto [tensor, own] = inputAlong(dim);
  const GlobalView view = t.viewOf(tensor);
  return view.offsets[view.dims[own]];
}

/// Of the reduced dimension of the plane, with those that are joined to it.
Value TransferInserter::RowWork::partExtent() {
  Value extent = extentOf(partDim());
  for (int64_t before = 1; before < p.joined(); ++before)
    extent = arith::MulIOp::create(b, t.loc, extent, extentOf(partDim() - before));
  return extent;
}

// One part of the reduced dimensions: `number` counts the parts of all windows.
void TransferInserter::RowWork::emitBody(RowPass &pass, Value number, Value ofOutputs,
                                         PositionRange unmasked) {
  for (unsigned input : pass.inputs) {
    // What is the same for all kept elements is loaded once for each tile, whatever conditions
    // leave of the rows of a window.
    const bool isOfAll = whole && p.plane().reducesColumns &&
                         broadcastOf(p, p.inputs()[input].dims) == Broadcast::row;
    const Value ofWindow = part;
    if (isOfAll)
      part = partExtent();
    load(input, isOfAll ? tile : number);
    part = ofWindow;
  }
  for (auto [i, it] : llvm::enumerate(s.tiles))
    if (!it.isKept)
      tiles[i].slot = t.slot(number, tiles[i].buffer);
  for (unsigned output : pass.outputs)
    outputs[output].slot = t.slot(ofOutputs, outputs[output].buffer);
  emitGuarded(pass, unmasked);
  for (unsigned output : pass.outputs)
    store(output);
}

// What no guard leaves is at the end of a row, mostly. A position counts from the row's start.
void TransferInserter::RowWork::emitWhole(RowPass &pass) {
  Value extent = partExtent();
  partFrom = t.index(0);
  part = extent;
  const ConditionBounds bounds = boundsOf(pass, extent);
  const Value found = bounds.some.end;
  if (!found)
    return emitBody(pass, step, step, bounds.all);
  Value end = part = arith::MaxSIOp::create(b, t.loc, found, t.index(1));
  Value rest = arith::SubIOp::create(b, t.loc, extent, end);
  tally(aicore::Covered::all, extent);
  tally(aicore::Covered::skipped, rest);
  // The results of a row are stored in two parts.
  Value number = arith::MulIOp::create(b, t.loc, step, t.index(2));
  emitBody(pass, step, number, bounds.all);
  if (pass.outputs.empty())
    return;
  auto loop = scf::ForOp::create(b, t.loc, t.index(0),
                                 arith::MinSIOp::create(b, t.loc, rest, t.index(1)), t.index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  setPart(end, extent, rest);
  emitRest(pass, t.add(number, t.index(1)));
}

/// The parts of a row that its conditions leave; all of them without.
TransferInserter::RowWork::Parts TransferInserter::RowWork::partsOf(const RowPass &pass,
                                                                    Value extent, Value length) {
  Value zero = t.index(0), all = arith::CeilDivSIOp::create(b, t.loc, extent, length);
  const ConditionBounds bounds = boundsOf(pass, extent);
  const PositionRange range = bounds.some;
  if (!range.first)
    return {zero, all, all, false, {}, bounds.all};
  Value first = arith::DivSIOp::create(b, t.loc, range.first, length);
  first = arith::MinSIOp::create(b, t.loc, first, all);
  Value end = arith::CeilDivSIOp::create(b, t.loc, range.end, length);
  Value count = arith::MaxSIOp::create(
      b, t.loc, arith::SubIOp::create(b, t.loc, end, first).getResult(), zero);
  // The last part may be shorter.
  const auto positionOf = [&](Value number) {
    Value position = arith::MulIOp::create(b, t.loc, number, length);
    return arith::MinSIOp::create(b, t.loc, position, extent).getResult();
  };
  Value computed =
      arith::SubIOp::create(b, t.loc, positionOf(t.add(first, count)), positionOf(first));
  tally(aicore::Covered::all, extent);
  tally(aicore::Covered::skipped, arith::SubIOp::create(b, t.loc, extent, computed));
  return {first, count, all, true, range, bounds.all};
}

void TransferInserter::RowWork::emitParts(RowPass &pass, size_t number) {
  OpBuilder::InsertionGuard guard(b);
  Value one = t.index(1), zero = t.index(0), at;
  Value extent = partExtent(),
        length = t.index(p.plane().reducesColumns ? sizes.width : sizes.height);
  auto loopOver = [&](Value count) {
    auto loop = scf::ForOp::create(b, t.loc, zero, count, one);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value index = loop.getInductionVar();
    at = at ? arith::AddIOp::create(b, t.loc, arith::MulIOp::create(b, t.loc, at, count), index)
                  .getResult()
            : index;
    return index;
  };
  Value outerParts = one;
  SmallVector<Value> counts;
  for (int64_t dim : outerReduced())
    counts.push_back(extentOf(dim));
  for (Value count : counts)
    outerParts = arith::MulIOp::create(b, t.loc, outerParts, count);
  for (auto [dim, count] : llvm::zip(outerReduced(), counts))
    outer[dim] = loopOver(count);
  const Parts parts = partsOf(pass, extent, length);
  // Parts are numbered over all passes of all windows; in each pass, from its own number on, where
  // their number varies: those that conditions leave, and those of a divided row. Where that is
  // known to be one, two passes have two generations of a slot so.
  Value before = t.index(number);
  if (!parts.isGuarded && !isDivided()) {
    Value passes = arith::MulIOp::create(b, t.loc, step, t.index(s.passes.size()));
    Value ofPass = arith::MulIOp::create(b, t.loc, outerParts, parts.all);
    before = arith::MulIOp::create(b, t.loc, t.add(passes, t.index(number)), ofPass);
  }
  {
    OpBuilder::InsertionGuard inOuter(b);
    setPart(arith::MulIOp::create(b, t.loc, t.add(parts.first, loopOver(parts.count)), length),
            extent, length);
    Value ofPart = t.add(before, at);
    emitBody(pass, ofPart, ofPart, parts.unmasked);
  }
  if (parts.isGuarded && !pass.outputs.empty()) {
    emitRestParts(pass, zero, parts.first, length);
    emitRestParts(pass, t.add(parts.first, parts.count), parts.all, length);
  }
  outer.clear();
}

void TransferInserter::RowWork::emitPass(RowPass &pass, size_t number) {
  emitSteps(pass.before);
  if (whole)
    emitWhole(pass);
  else
    emitParts(pass, number);
  emitSteps(pass.after);
}

void TransferInserter::RowWork::emitWindow() {
  partFrom = part = {};
  for (unsigned input : s.keptInputs)
    load(input, step);
  for (auto [i, it] : llvm::enumerate(s.tiles))
    if (it.isKept)
      tiles[i].slot = t.slot(step, tiles[i].buffer);
  for (unsigned output : s.keptOutputs)
    outputs[output].slot = t.slot(step, outputs[output].buffer);
  readBounds();
  for (auto [number, pass] : llvm::enumerate(s.passes))
    emitPass(pass, number);
  partFrom = part = {};
  for (unsigned output : s.keptOutputs)
    store(output);
}

LogicalResult TransferInserter::RowWork::emit() {
  if (ofBlock.products.empty())
    t.startPhase(group);
  else if (failed(t.startTiles(group, ofBlock)))
    return failure();
  chooseSizes();
  allocate();
  t.emitScalars(group);
  t.emitTileLoop(ofBlock);
  tile = ofBlock.number;
  if (isDivided()) {
    emitTileOfParts();
    return success();
  }
  destinations = t.findDestinations(group, ofBlock.tileLoop);
  findOffsets();
  t.loc = group.getLoc();
  emitTile();
  return success();
}

/// The kept extent of the tile along the plane.
Value TransferInserter::RowWork::keptExtent() {
  const int64_t keptDim = p.plane().reducesColumns ? p.plane().rows : p.plane().columns;
  const RowOutput &output = p.outputs().front();
  const Destination *destination =
      llvm::find_if(destinations, [&](const Destination &it) { return it.value == output.tensor; });
  Value extent = t.index(1);
  for (auto [i, dim] : llvm::enumerate(output.dims))
    if (dim == keptDim && dim >= 0)
      extent = destination->sizes[i];
  return extent;
}

// Each vector core has parts of its own, and in them all that the tile keeps.
void TransferInserter::RowWork::emitTileOfParts() {
  Value one = t.index(1), zero = t.index(0);
  auto work =
      aicore::VectorWorkOp::create(b, t.loc, tile, t.map.lookup(ofBlock.partLoop.getUpperBound()),
                                   one, zero, /*steps=*/1, /*height=*/1, /*by_columns=*/false);
  OpBuilder::InsertionGuard guard(b);
  Block *window = b.createBlock(&work.getBody(), {}, SmallVector<Type>(5, b.getIndexType()),
                                SmallVector<Location>(5, t.loc));
  t.map.map(ofBlock.partLoop.getInductionVar(), window->getArgument(0));
  for (Operation &op : *ofBlock.partLoop.getBody())
    t.clonePure(op);
  destinations = t.findDestinations(group, ofBlock.partLoop);
  findOffsets();
  t.loc = group.getLoc();
  Value extent = keptExtent();
  step = window->getArgument(4);
  keptFrom = zero;
  kept = extent;
  if (!p.plane().reducesColumns || sizes.kept <= sizes.height)
    return emitWindow();
  // As many rows at once as UB takes.
  Value height = t.index(sizes.height);
  auto loop = scf::ForOp::create(
      b, t.loc, zero, arith::CeilDivSIOp::create(b, t.loc, extent, height).getResult(), one);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  step = t.add(
      arith::MulIOp::create(b, t.loc, step, t.index(llvm::divideCeil(sizes.kept, sizes.height))),
      loop.getInductionVar());
  keptFrom = arith::MulIOp::create(b, t.loc, loop.getInductionVar(), height);
  kept = arith::MinSIOp::create(
      b, t.loc, arith::SubIOp::create(b, t.loc, extent, keptFrom).getResult(), height);
  emitWindow();
}

void TransferInserter::RowWork::emitTile() {
  const bool reducesColumns = p.plane().reducesColumns;
  Value extent = keptExtent(), one = t.index(1), zero = t.index(0);
  if (!ofBlock.products.empty()) {
    ofBlock.rows = extent;
    ofBlock.columns = partExtent();
    t.emitProducts(ofBlock);
    t.loc = group.getLoc();
    spillProducts();
  }
  const int64_t steps = reducesColumns ? llvm::divideCeil(sizes.kept, sizes.height) : 1;
  // The cube core fills the windows of products that pass no global memory.
  const bool isInterleaved = t.machine.cubeFillsUb() && !ofBlock.anchors.empty() &&
                             !placeIn(ofBlock.anchors[0].result(), aicore::Space::gm);
  auto work = aicore::VectorWorkOp::create(b, t.loc, tile, reducesColumns ? extent : one,
                                           reducesColumns ? one : extent, zero, steps,
                                           reducesColumns ? sizes.height : 1, !reducesColumns,
                                           /*nonempty=*/false, isInterleaved);
  OpBuilder::InsertionGuard guard(b);
  Block *window = b.createBlock(&work.getBody(), {}, SmallVector<Type>(5, b.getIndexType()),
                                SmallVector<Location>(5, t.loc));
  keptFrom = window->getArgument(reducesColumns ? 0 : 2);
  kept = window->getArgument(reducesColumns ? 1 : 3);
  step = window->getArgument(4);
  emitWindow();
}

LogicalResult TransferInserter::emitRows(ir::FusionGroupOp group, Tile &tile) {
  FailureOr<RowProgram> program = RowProgram::of(group);
  if (failed(program))
    return failure();
  // The tile of a product holds whole rows.
  const RowSpace space(group);
  const RowForm form = tile.products.empty() ? rowFormOf(kernel, space) : RowForm::whole;
  if (form == RowForm::online && !makeOnline(*program))
    return refuseOnline(kernel, group, space);
  return RowWork(*this, group, tile, std::move(*program), form == RowForm::whole).emit();
}

} // namespace mmk
