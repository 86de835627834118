// The part of aicore-insert-transfers for the cube: the product of a tile, stage by stage through
// L1 and base tile by base tile through L0.
//
// With `store = overlapped` the accumulator has two parts, each half of its columns. In the last
// stage of a tile the product is computed part by part, each over the whole depth of the stage, so
// that the drain of the first part overlaps with the product of the second. With a single copy of
// the accumulator the first stage is computed part by part, too: the next tile starts in the first
// part while the second is still drained. Stages between compute the whole tile at once, in longer
// matrix instructions.
//
// Parts are columns and not rows: then MTE1 moves A once for each part, whose path is twice as fast
// as that of B.
#include "passes/conditions/product_depth.h"
#include "passes/variant.h"
#include "place/insert_transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

// The products of a group follow each other, unless they read windows of one image: then each step
// loads a part of the other operand once, and multiplies with it the windows of one product after
// the other. Else each has its own stages in L1; those of the same base
// tile rotate over the same slots of L0.
void TransferInserter::emitProducts(Tile &tile) {
  if (tile.anchors.size() == 1)
    return emitProduct(tile, tile.anchors[0]);
  if (tile.sharedLines) {
    for (Product &product : llvm::drop_begin(tile.anchors))
      product.accSlot = slot(tile.number, product.acc);
    return emitProduct(tile, tile.anchors[0]);
  }
  SmallVector<Value> steps; // base tiles of each product in a tile
  for (Product &product : tile.anchors) {
    loc = product.contract.getLoc();
    Value stages = arith::CeilDivSIOp::create(b, loc, depthOf(product), index(product.stage));
    steps.push_back(arith::MulIOp::create(b, loc, stages, index(product.stage / product.base)));
  }
  for (auto [i, product] : llvm::enumerate(tile.anchors)) {
    loc = product.contract.getLoc();
    Value ofOthers = index(0), before = index(0);
    for (auto [j, count] : llvm::enumerate(steps)) {
      if (j != i)
        ofOthers = add(ofOthers, count);
      if (j < i)
        before = add(before, count);
    }
    product.inOthers = add(arith::MulIOp::create(b, loc, tile.number, ofOthers), before);
    emitProduct(tile, product);
  }
}

void TransferInserter::emitProduct(Tile &tile, Product &product) {
  loc = product.contract.getLoc();
  product.accSlot = slot(tile.number, product.acc);
  if (product.bias)
    emitBias(tile, product);
  loc = product.contract.getLoc();

  // Running numbers of stages and base tiles, in closed form over the loops: the slots of
  // a buffer rotate over output tiles too, and no loop has to carry a number.
  Value upper = depthOf(product);
  Value stages = arith::CeilDivSIOp::create(b, loc, upper, index(product.stage));
  Value lower = map.lookup(product.stageLoop.getLowerBound());
  OpBuilder::InsertionGuard guard(b);
  Value firstStage = arith::MulIOp::create(b, loc, tile.number, stages);
  if (tile.parts > 1 && !startsInParts(tile))
    for (int64_t part = 0; part < tile.parts; ++part)
      aicore::ProducerAcquireOp::create(b, loc, product.acc, product.accSlot, part);

  StageRange range = {{}, upper, {}, {}};
  if (product.image)
    range = emitImageLoop(tile, product);
  auto stageLoop =
      scf::ForOp::create(b, loc, lower, range.length, map.lookup(product.stageLoop.getStep()));
  b.setInsertionPoint(stageLoop.getBody()->getTerminator());
  product.inPart = stageLoop.getInductionVar();
  product.done = add(range.before, product.inPart);
  Value inTile = arith::DivSIOp::create(b, loc, product.done, index(product.stage));
  product.start = isSkewed() ? skewed(inTile, stages, product.stage) : product.done;
  map.map(product.stageLoop.getInductionVar(), product.start);
  for (Operation &op : *product.stageLoop.getBody())
    clonePure(op);
  loc = product.contract.getLoc();
  Value stageNumber = add(firstStage, inTile);
  emitLoads(tile, product, stageNumber);
  if (product.bias || tile.parts > 1)
    product.isFirst = both(range.isFirst, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                                                product.inPart, lower));
  if (product.bias)
    product.startsFromBias = startsFromBias(tile, product);
  if (tile.parts == 1)
    emitStage(tile, product, stageNumber, std::nullopt);
  else
    emitStageInParts(tile, product, stages, stageNumber, range);
  // Only the first stage starts from the bias.
  if (product.bias)
    when(product.startsFromBias,
         [&] { aicore::ReleaseOp::create(b, loc, product.biasTable, product.biasSlot); });
}

bool TransferInserter::startsInParts(const Tile &tile) {
  return tile.parts > 1 && requestedCopies(kernel, "acc", "acc") == 1;
}

// As values that the proof of the flags follows; without x, y alone.
Value TransferInserter::both(Value x, Value y) {
  return x ? arith::SelectOp::create(b, loc, x, y, x).getResult() : y;
}

// Only the first and the last stage of a tile are in parts.
void TransferInserter::emitStageInParts(Tile &tile, Product &product, Value stages,
                                        Value stageNumber, const StageRange &range) {
  // A stage in parts fills L0 once for each; numbers of generations count them all.
  Value more = index(tile.parts - 1), generations = stageNumber;
  Value edges = index(1);
  const bool startsInParts = this->startsInParts(tile);
  if (startsInParts) {
    Value inTile = arith::DivSIOp::create(b, loc, product.done, index(product.stage));
    edges = arith::MinSIOp::create(b, loc, stages, index(2));
    Value behindFirst = arith::MinSIOp::create(b, loc, inTile, index(1));
    generations = add(generations, arith::MulIOp::create(b, loc, behindFirst, more));
  }
  Value earlier = arith::MulIOp::create(b, loc, tile.number, edges);
  generations = add(generations, arith::MulIOp::create(b, loc, earlier, more));

  Value next = add(product.inPart, index(product.stage));
  Value isFirst = product.isFirst;
  Value isLast = both(range.isLast,
                      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, next, range.length));
  Value inParts = isLast;
  if (startsInParts)
    inParts = arith::SelectOp::create(b, loc, isFirst, isFirst, isLast);
  auto branch = scf::IfOp::create(b, loc, inParts, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  for (int64_t part = 0; part < tile.parts; ++part) {
    if (startsInParts)
      when(isFirst,
           [&] { aicore::ProducerAcquireOp::create(b, loc, product.acc, product.accSlot, part); });
    emitStage(tile, product, add(generations, index(part)), part);
    when(isLast,
         [&] { aicore::ProducerCommitOp::create(b, loc, product.acc, product.accSlot, part); });
  }
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  emitStage(tile, product, generations, std::nullopt);
  b.setInsertionPointAfter(branch);
}

bool TransferInserter::isSkewed() { return kernel.chosenWord("skew", "none") == "stages"; }

// Cores that share rows of A or columns of B are mostly neighbours, and start at as many different
// stages as there are; each takes all of them, in rotated order.
Value TransferInserter::skewed(Value stage, Value stages, int64_t depth) {
  Value turned = arith::AddIOp::create(b, loc, stage, block);
  Value which = arith::RemSIOp::create(b, loc, turned, stages);
  return arith::MulIOp::create(b, loc, which, index(depth));
}

void TransferInserter::when(Value condition, llvm::function_ref<void()> emit) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  emit();
}

// The loads of the current stage into L1; a panel is already there.
void TransferInserter::emitLoads(Tile &tile, Product &product, Value stageNumber) {
  if (product.image)
    return emitTapsLoad(product, stageNumber);
  for (unsigned i = 0; i < 2; ++i) {
    if (product.kept == i) {
      product.slots[i] = product.panelSlot;
      continue;
    }
    Value tensor = product.operands[i].inL1.getDefiningOp<aicore::PlaceOp>().getValue();
    GlobalView view = matrixOf(tensor);
    for (Value &offset : view.offsets)
      if (!offset)
        offset = index(0);
    unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
    product.slots[i] = slot(stageNumber, product.l1[i]);
    auto load = aicore::LoadOp::create(b, loc, view.memref, view.offsets,
                                       ArrayRef<int64_t>{view.dims[rank - 2], view.dims[rank - 1]},
                                       extentOf(tensor, rank - 2), extentOf(tensor, rank - 1),
                                       product.l1[i], product.slots[i], machine.padding());
    if (boundedOperand(product.contract) == i)
      load.setClipped(true);
  }
}

// All steps of a stage. Those that start from the bias are separate from the others, so that the
// table is free long before the tile is done.
void TransferInserter::emitStage(Tile &tile, Product &product, Value generations,
                                 std::optional<int64_t> part) {
  if (!product.bias)
    return emitSteps(tile, product, generations, part, /*startsFromBias=*/false);
  auto branch = scf::IfOp::create(b, loc, product.startsFromBias, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  emitSteps(tile, product, generations, part, /*startsFromBias=*/true);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  emitSteps(tile, product, generations, part, /*startsFromBias=*/false);
}

// The base tiles of a stage, of all the tile's columns or those of a part. `generations` of L0 came
// before, in whole stages.
void TransferInserter::emitSteps(Tile &tile, Product &product, Value generations,
                                 std::optional<int64_t> part, bool startsFromBias) {
  OpBuilder::InsertionGuard guard(b);
  auto baseOf = product.contract->getParentOfType<scf::ForOp>();
  Value zero = index(0),
        depthOfStage = product.image ? product.depthOfStage : map.lookup(baseOf.getUpperBound());
  if (isSkewed()) // no stage is empty, which the proof of the flags does not see from here on
    depthOfStage = arith::MaxSIOp::create(b, loc, depthOfStage, index(1));
  Value firstColumn = zero, columns = tile.columns;
  if (part) {
    Tile own = partOf(tile, *part);
    firstColumn = own.firstColumn;
    columns = own.columns;
    // A part beyond the edge has no steps.
    if (*part > 0)
      depthOfStage = whereAny(columns, depthOfStage);
  }
  auto baseLoop = scf::ForOp::create(b, loc, map.lookup(baseOf.getLowerBound()), depthOfStage,
                                     map.lookup(baseOf.getStep()));
  map.map(baseOf.getInductionVar(), baseLoop.getInductionVar());
  b.setInsertionPoint(baseLoop.getBody()->getTerminator());
  for (Operation &op : *baseOf.getBody())
    clonePure(op);
  loc = product.contract.getLoc();
  Value inStage = arith::DivSIOp::create(b, loc, baseLoop.getInductionVar(), index(product.base));
  Value number =
      add(arith::MulIOp::create(b, loc, generations, index(product.stage / product.base)), inStage);
  if (product.inOthers)
    number = add(number, product.inOthers);
  Value l0Slots[2], depth;
  ImageStep windows;
  if (product.image)
    depth = arith::MinSIOp::create(
        b, loc, arith::SubIOp::create(b, loc, depthOfStage, baseLoop.getInductionVar()),
        index(product.base));
  for (unsigned i = 0; i < 2; ++i) {
    const TiledOperand &operand = product.operands[i];
    Value tensor = product.contract.getInputs()[i].getDefiningOp<aicore::PlaceOp>().getValue();
    unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
    Value offsets[2] = {zero, zero};
    for (tensor::ExtractSliceOp slice : operand.slices)
      for (unsigned d = 0; d < 2; ++d)
        offsets[d] = add(offsets[d], mapped(slice.getMixedOffsets()[rank - 2 + d]));
    Value extents[2] = {extentOf(tensor, rank - 2), extentOf(tensor, rank - 1)};
    const unsigned alongK = (i == 0) == operand.transposed ? 0 : 1;
    if (product.image) {
      offsets[alongK] = baseLoop.getInductionVar();
      extents[alongK] = depth;
    } else if (i == 0) {
      depth = extents[alongK];
    }
    if (i == 1 && part) {
      const unsigned alongN = operand.transposed ? 0 : 1;
      offsets[alongN] = add(offsets[alongN], firstColumn);
      extents[alongN] = columns;
    }
    if (product.image && i == 0)
      windows = {offsets[alongK], depth, offsets[1 - alongK], extents[1 - alongK]};
    if (tile.sharedLines && i == 0)
      continue;
    l0Slots[i] = slot(number, product.l0[i]);
    if (product.image && i == 0) {
      emitImageStep(tile, product, product, windows, l0Slots[i]);
      continue;
    }
    aicore::LoadL0Op::create(b, loc, product.l1[i], product.slots[i], offsets[0], offsets[1],
                             extents[0], extents[1], product.l0[i], l0Slots[i], operand.transposed);
  }
  product.before = add(product.done, baseLoop.getInductionVar());
  if (!tile.sharedLines)
    return multiplyStep(tile, product, product, l0Slots, columns, depth, part, startsFromBias);
  Value windowsBefore = multiply(number, index(tile.anchors.size()));
  for (auto [i, each] : llvm::enumerate(tile.anchors)) {
    l0Slots[0] = slot(add(windowsBefore, index(i)), product.l0[0]);
    emitImageStep(tile, product, each, windows, l0Slots[0]);
    multiplyStep(tile, product, each, l0Slots, columns, depth, part, startsFromBias);
  }
}

// `lead` has what products beside each other share: the operands in L0, and the row they start
// from.
void TransferInserter::multiplyStep(Tile &tile, const Product &lead, Product &product,
                                    const Value (&l0Slots)[2], Value columns, Value depth,
                                    std::optional<int64_t> part, bool startsFromBias) {
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lead.before, index(0));
  aicore::MmadOp::create(
      b, loc, lead.l0[0], l0Slots[0], lead.l0[1], l0Slots[1], product.acc, product.accSlot,
      tile.rows, columns, depth, first, startsFromBias ? lead.biasTable : Value(),
      startsFromBias ? lead.biasSlot : Value(), part ? b.getI64IntegerAttr(*part) : IntegerAttr());
}

//===--- parts ----------------------------------------------------------------------------===//

Value TransferInserter::whereAny(Value columns, Value extent) {
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, columns, index(0));
  return arith::SelectOp::create(b, loc, any, extent, index(0));
}

TransferInserter::Tile TransferInserter::partOf(const Tile &tile, int64_t part) {
  Tile own = tile;
  const int64_t width = own.anchors[0].acc.getPartWidth();
  own.part = part;
  own.number = add(arith::MulIOp::create(b, loc, tile.number, index(tile.parts)), index(part));
  own.firstColumn = index(part * width);
  Value rest = arith::SubIOp::create(b, loc, tile.columns, own.firstColumn);
  own.columns = arith::MinSIOp::create(b, loc, rest, index(width));
  if (part > 0) {
    own.columns = arith::MaxSIOp::create(b, loc, own.columns, index(0));
    // A cube core that fills the windows of its vector cores has as many of a part without columns.
    if (!machine.cubeFillsUb() || !productsReachUb(kernel, machine))
      own.rows = whereAny(own.columns, tile.rows);
  }
  return own;
}

} // namespace mmk
