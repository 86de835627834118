// The part of aicore-insert-transfers for row groups: their buffers, the loads and stores of a part
// of a row, and the instructions between them.
#include "place/row_work.h"

#include "passes/variant.h"
#include "place/online_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;
using aicore::ReduceKind;
using aicore::Space;

//===--- memory ---------------------------------------------------------------------------===//

void TransferInserter::RowWork::chooseSizes() {
  const RowMemory memory(p, s, t.machine, [&](Value tensor) {
    return tensor ? requestedCopies(t.kernel, "ub", nameOf(tensor))
                  : requestedCopies(t.kernel, "out", "");
  });
  const ArrayRef<int64_t> extents = *group.getTile();
  // A tile of parts is one of each vector core.
  const bool reducesColumns = p.plane().reducesColumns;
  const int64_t units = isDivided() ? vectorCoresOf(t.machine) : 1;
  sizes = memory.sizesOf(extents[0] * (reducesColumns ? units : 1),
                         extents[1] * (reducesColumns ? 1 : units), whole);
  if (ofBlock.products.empty())
    return;
  // Steps of a few rows, so that their transfers overlap.
  const int64_t wanted =
      std::max<int64_t>(1, stepBytes / (4 * memory.padded(sizes.width, b.getF32Type())));
  const int64_t steps = llvm::divideCeil(sizes.kept, std::min(sizes.height, wanted));
  sizes.height = llvm::divideCeil(sizes.kept, steps);
}

StringRef TransferInserter::RowWork::nameOf(Value tensor) {
  if (productOf(tensor))
    return "acc";
  tensor = behindViews(tensor);
  const StringRef name = t.names.lookup(tensor);
  return name.empty() ? "value" : name;
}

Value TransferInserter::RowWork::alloc(StringRef name, StringRef buffers, bool isOnPlane,
                                       Broadcast cover, Type element, int64_t copies) {
  int64_t rows = 1, columns = 1;
  if (!isOnPlane)
    columns = p.plane().reducesColumns ? sizes.height : sizes.width;
  else if (cover == Broadcast::full)
    rows = sizes.height, columns = sizes.width;
  else if (cover == Broadcast::row)
    columns = sizes.width;
  else if (cover == Broadcast::column)
    columns = sizes.height;
  const RowMemory memory(p, s, t.machine, {});
  auto type =
      MemRefType::get({rows, memory.padded(columns, element)}, element, MemRefLayoutAttrInterface(),
                      aicore::SpaceAttr::get(b.getContext(), Space::ub));
  return aicore::AllocOp::create(b, t.loc, type, name, buffers, copies, /*parts=*/1, IntegerAttr());
}

void TransferInserter::RowWork::allocate() {
  for (RowInput &input : p.inputs())
    inputs.push_back({alloc(nameOf(input.tensor), "ub", true, broadcastOf(p, input.dims),
                            input.element.getType()),
                      {}});
  for (const RowTile &it : s.tiles)
    tiles.push_back({alloc(it.isKept ? "row" : "tile", "scratch", !it.isKept, Broadcast::full,
                           it.element, it.isKept ? copiesOfKept : 1),
                     {}});
  for (auto [i, output] : llvm::enumerate(p.outputs()))
    outputs.push_back({alloc(("out" + (i ? Twine(i) : Twine())).str(), "out",
                             varies(p, output.dims), Broadcast::full, output.element.getType()),
                       {}});
}

//===--- transfers ------------------------------------------------------------------------===//

std::pair<int64_t, int64_t> TransferInserter::RowWork::locate(GlobalView &view,
                                                              ArrayRef<int64_t> dims) {
  const TilePlane &plane = p.plane();
  int64_t rowDim = -1, columnDim = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0)
      continue;
    Value &offset = view.offsets[view.dims[i]];
    if (dim == plane.rows) {
      rowDim = view.dims[i];
      offset = t.add(offset, plane.reducesColumns ? keptFrom : partFrom);
    } else if (dim == plane.columns) {
      columnDim = view.dims[i];
      offset = t.add(offset, plane.reducesColumns ? partFrom : keptFrom);
    } else if (Value index = outer.lookup(dim)) {
      offset = t.add(offset, index);
    }
  }
  for (Value &offset : view.offsets)
    if (!offset)
      offset = t.index(0);
  return {rowDim, columnDim};
}

TransferInserter::Product *TransferInserter::RowWork::productOf(Value tensor) {
  for (Product &product : ofBlock.anchors)
    if (product.result() == behindPlaces(tensor))
      return &product;
  return nullptr;
}

// The cube writes whole tiles, from which each vector core takes its rows.
void TransferInserter::RowWork::spillProducts() {
  for (Product &product : ofBlock.anchors)
    if (auto place = placeIn(product.result(), Space::gm)) {
      Value buffer = t.bufferOf(place);
      aicore::SpillOp::create(b, t.loc, product.acc, product.accSlot, ofBlock.rows, ofBlock.columns,
                              buffer, t.slot(ofBlock.number, buffer), /*row=*/Value(),
                              /*column=*/Value(), IntegerAttr());
    }
}

void TransferInserter::RowWork::loadProduct(Product &product, Held &held, Value rows,
                                            Value columns) {
  if (auto place = placeIn(product.result(), Space::gm)) {
    Value buffer = t.bufferOf(place);
    aicore::FetchOp::create(b, t.loc, buffer, t.slot(ofBlock.number, buffer), keptFrom, rows,
                            columns, held.buffer, held.slot);
    return;
  }
  aicore::DrainOp::create(b, t.loc, product.acc, product.accSlot, keptFrom, rows, columns,
                          held.buffer, held.slot, IntegerAttr());
}

void TransferInserter::RowWork::load(unsigned number, Value slotNumber) {
  const RowInput &input = p.inputs()[number];
  if (Product *product = productOf(input.tensor)) {
    Held &held = inputs[number];
    held.slot = t.slot(slotNumber, held.buffer);
    return loadProduct(*product, held, planeRows(), planeColumns());
  }
  GlobalView view = t.viewOf(input.tensor);
  const auto [rowDim, columnDim] = locate(view, input.dims);
  SmallVector<int64_t> along = {rowDim, columnDim};
  Value rows = t.index(1), columns = rows;
  const Broadcast cover = broadcastOf(p, input.dims);
  if (cover == Broadcast::full)
    rows = planeRows();
  if (cover == Broadcast::full || cover == Broadcast::row)
    columns = planeColumns();
  // A column is held as a row.
  if (cover == Broadcast::column) {
    along = {-1, rowDim};
    columns = planeRows();
  }
  Held &held = inputs[number];
  held.slot = t.slot(slotNumber, held.buffer);
  t.fill(view, along, rows, columns, held.buffer, held.slot, joinedBy(view, input.dims));
}

// A dimension of the space may be several of the tensor that are one in memory.
IntegerAttr TransferInserter::RowWork::joinedBy(const GlobalView &view, ArrayRef<int64_t> dims) {
  if (p.joined() == 1 || !llvm::is_contained(dims, partDim()))
    return {};
  const auto kept = static_cast<int64_t>(dims.size()) - p.joined();
  return b.getI64IntegerAttr(view.dims.back() - (kept == 0 ? -1 : view.dims[kept - 1]));
}

// Two results of the same value are stored from one buffer.
void TransferInserter::RowWork::store(unsigned number) {
  const RowOutput &output = p.outputs()[number];
  for (const Destination &destination : destinations) {
    if (destination.value != output.tensor)
      continue;
    GlobalView view = destination.view;
    auto [rowDim, columnDim] = locate(view, output.dims);
    SmallVector<int64_t> along = {rowDim, columnDim};
    Value rows = planeRows(), columns = planeColumns();
    if (!varies(p, output.dims)) {
      along = {-1, p.plane().reducesColumns ? rowDim : columnDim};
      rows = t.index(1);
      columns = kept;
    }
    const Held &held = outputs[number];
    auto transfer = aicore::StoreOp::create(b, t.loc, held.buffer, held.slot, view.memref,
                                            view.offsets, along, rows, columns);
    if (IntegerAttr joined = joinedBy(view, output.dims))
      transfer.setJoinedAttr(joined);
  }
}

//===--- vector work ----------------------------------------------------------------------===//

Broadcast TransferInserter::RowWork::coverOf(RowPlace place, bool onKept) {
  const bool reducesColumns = p.plane().reducesColumns;
  if (place.kind == Place::input) {
    const Broadcast cover = broadcastOf(p, p.inputs()[place.number].dims);
    return onKept && cover != Broadcast::single ? Broadcast::full : cover;
  }
  if (onKept || (place.kind == Place::tile ? !s.tiles[place.number].isKept
                                           : varies(p, p.outputs()[place.number].dims)))
    return Broadcast::full;
  return reducesColumns ? Broadcast::column : Broadcast::row;
}

aicore::VectorOp
TransferInserter::RowWork::createVector(ArrayRef<Held> from, ArrayRef<Broadcast> covers,
                                        ArrayRef<Held> to, bool isKept,
                                        function_ref<SmallVector<Value>(ValueRange)> elements) {
  SmallVector<Value> buffers, slots, targets, targetSlots;
  SmallVector<Attribute> attributes;
  SmallVector<Type> types;
  for (const Held &held : from) {
    buffers.push_back(held.buffer);
    slots.push_back(held.slot);
    types.push_back(cast<MemRefType>(held.buffer.getType()).getElementType());
  }
  for (Broadcast cover : covers)
    attributes.push_back(aicore::BroadcastAttr::get(b.getContext(), cover));
  for (const Held &held : to) {
    targets.push_back(held.buffer);
    targetSlots.push_back(held.slot);
  }
  auto vector = aicore::VectorOp::create(b, t.loc, buffers, slots, b.getArrayAttr(attributes),
                                         targets, targetSlots, isKept ? t.index(1) : planeRows(),
                                         isKept ? kept : planeColumns());
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&vector.getBody(), {}, types, SmallVector<Location>(types.size(), t.loc));
  aicore::YieldOp::create(b, t.loc, elements(body->getArguments()));
  return vector;
}

void TransferInserter::RowWork::emitCompute(const RowStep &step) {
  SmallVector<Held> from, to;
  SmallVector<Broadcast> covers;
  for (auto &[value, place] : step.reads) {
    from.push_back(heldBy(place));
    covers.push_back(coverOf(place, step.isKept));
  }
  for (const RowPlace &place : step.targets)
    to.push_back(heldBy(place));
  createVector(from, covers, to, step.isKept, [&](ValueRange elements) {
    IRMapping scalars = t.map;
    for (auto [read, element] : llvm::zip(step.reads, elements))
      scalars.map(read.first, element);
    for (Operation *op : step.operations)
      if (unguarded.contains(op))
        scalars.map(op->getResult(0),
                    scalars.lookupOrDefault(cast<arith::SelectOp>(op).getTrueValue()));
      else
        b.clone(*op, scalars);
    SmallVector<Value> yielded;
    for (Value value : step.values)
      yielded.push_back(scalars.lookupOrDefault(value));
    return yielded;
  });
}

/// What a reduction gives for two sets of elements: its result, and its position, of each.
SmallVector<Value> TransferInserter::RowWork::combined(const RowReduction &reduction,
                                                       ValueRange elements) {
  const Location loc = t.loc;
  const bool isFloat = isa<FloatType>(elements[0].getType());
  auto binary = [&](auto ofFloats, auto ofIntegers) -> Value {
    Value x = elements[0], y = elements[1];
    if (isFloat)
      return decltype(ofFloats)::create(b, loc, x, y);
    return decltype(ofIntegers)::create(b, loc, x, y);
  };
  switch (reduction.kind) {
  case ReduceKind::add:
    return {binary(arith::AddFOp(), arith::AddIOp())};
  case ReduceKind::mul:
    return {binary(arith::MulFOp(), arith::MulIOp())};
  case ReduceKind::max:
    return {binary(arith::MaximumFOp(), arith::MaxSIOp())};
  case ReduceKind::min:
    return {binary(arith::MinimumFOp(), arith::MinSIOp())};
  case ReduceKind::argmax:
  case ReduceKind::argmin:
    break;
  }
  const bool isMaximum = reduction.kind == ReduceKind::argmax;
  Value best = elements[0], at = elements[1], next = elements[2], nextAt = elements[3], takes;
  if (isFloat) {
    // Also true where one of them is NaN; the first NaN stays.
    Value beyond = arith::CmpFOp::create(
        b, loc, isMaximum ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT, next, best);
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
    takes = arith::AndIOp::create(b, loc, beyond, isNumber);
  } else {
    takes = arith::CmpIOp::create(
        b, loc, isMaximum ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, next, best);
  }
  Value from = partFrom;
  if (p.space().isDivided(partDim()))
    from = t.add(from, originOf(partDim()));
  Value offset = arith::IndexCastOp::create(b, loc, b.getI32Type(), from);
  nextAt = arith::AddIOp::create(b, loc, nextAt, offset);
  return {arith::SelectOp::create(b, loc, takes, next, best),
          arith::SelectOp::create(b, loc, takes, nextAt, at)};
}

void TransferInserter::RowWork::emitCombine(const RowStep &step) {
  SmallVector<Held> from, to;
  for (const RowPlace &place : step.targets) {
    from.push_back(heldBy(place));
    to.push_back(heldBy(place));
  }
  for (const RowPlace &place : step.sources)
    from.push_back(heldBy(place));
  const SmallVector<Broadcast> covers(from.size(), Broadcast::full);
  createVector(from, covers, to, true, [&](ValueRange elements) {
    return combined(p.reductions()[step.reduction], elements);
  });
}

void TransferInserter::RowWork::emitStep(const RowStep &step) {
  using Kind = RowStep::Kind;
  if (step.kind == Kind::compute)
    return emitCompute(step);
  RowReduction &reduction = p.reductions()[step.reduction];
  t.loc = reduction.location;
  if (step.kind == Kind::combine)
    return emitCombine(step);
  SmallVector<Held> to;
  SmallVector<Value> targets, slots;
  for (const RowPlace &place : step.targets) {
    to.push_back(heldBy(place));
    targets.push_back(to.back().buffer);
    slots.push_back(to.back().slot);
  }
  if (step.kind == Kind::fill) {
    createVector({}, {}, to, true, [&](ValueRange) {
      SmallVector<Value> start = {arith::ConstantOp::create(b, t.loc, reduction.identity)};
      if (reduction.position)
        start.push_back(
            arith::ConstantOp::create(b, t.loc, b.getZeroAttr(reduction.position.getType())));
      return start;
    });
    return;
  }
  const Held &from = heldBy(step.sources[0]);
  if (step.kind == Kind::scan) {
    aicore::ScanOp::create(b, t.loc, from.buffer, from.slot, planeRows(), planeColumns(),
                           /*by_rows=*/!p.plane().reducesColumns, targets[1], slots[1], targets[0],
                           slots[0]);
    return;
  }
  aicore::ReduceOp::create(b, t.loc, reduction.kind, from.buffer, from.slot, planeRows(),
                           planeColumns(), /*by_rows=*/!p.plane().reducesColumns, targets, slots);
}

void TransferInserter::RowWork::emitSteps(ArrayRef<RowStep> steps) {
  for (const RowStep &it : steps)
    emitStep(it);
}

} // namespace mmk
