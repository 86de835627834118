// The part of aicore-insert-transfers for row groups: the steps of a row group on each tile, with
// the loads and stores around them.
#include "place/guard.h"
#include "place/insert_transfers.h"
#include "place/online_rows.h"
#include "place/row_memory.h"

#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;
using aicore::ReduceKind;
using aicore::Space;

/// The state of a row group while its code is emitted.
class TransferInserter::RowWork {
public:
  RowWork(TransferInserter &inserter, ir::FusionGroupOp group, scf::ForOp tileLoop,
          RowProgram program, bool whole)
      : t(inserter), b(inserter.b), group(group), tileLoop(tileLoop), p(std::move(program)),
        whole(whole), s(scheduleRows(p, whole)) {}

  void emit();

private:
  using Place = RowPlace::Kind;
  /// A buffer and its slot.
  struct Held {
    Value buffer, slot;
  };

  void chooseSizes();
  StringRef nameOf(Value tensor);
  void allocate();
  Value alloc(StringRef name, StringRef buffers, bool isOnPlane, Broadcast cover, Type element);
  void emitWindow();
  void emitPass(RowPass &pass, size_t number);
  void emitBody(RowPass &pass, Value number);
  /// What guards leave of a pass: the first position along the reduced dimension of the plane, and
  /// the end; null where they leave all.
  struct Range {
    Value first, end;
  };
  Range rangeOf(const RowPass &pass);
  Range rangeOf(const Guard &guard, Value extent);
  std::optional<Value> bound(const LinearForm &form, bool isLargest, bool ofPart);
  void findOffsets();
  Value satisfiesAll(const RowPass &pass);
  void emitGuarded(const RowPass &pass);
  void emitSteps(ArrayRef<RowStep> steps);
  void emitStep(const RowStep &step);
  void emitCompute(const RowStep &step);
  void emitCombine(const RowStep &step);
  aicore::VectorOp createVector(ArrayRef<Held> inputs, ArrayRef<Broadcast> covers,
                                ArrayRef<Held> outputs, bool isKept,
                                function_ref<SmallVector<Value>(ValueRange)> elements);
  SmallVector<Value> combined(const RowReduction &reduction, ValueRange elements);
  void load(unsigned input, Value slotNumber);
  void store(unsigned output);
  /// The dimension of global memory along rows and columns of the plane, with the offsets of the
  /// current part of the tile.
  std::pair<int64_t, int64_t> locate(GlobalView &view, ArrayRef<int64_t> dims);
  Held &heldBy(RowPlace place) {
    return place.kind == Place::input  ? inputs[place.number]
           : place.kind == Place::tile ? tiles[place.number]
                                       : outputs[place.number];
  }
  Broadcast coverOf(RowPlace place, bool onKept);
  Value planeRows() { return p.plane().reducesColumns ? kept : part; }
  Value planeColumns() { return p.plane().reducesColumns ? part : kept; }
  /// Dimensions of the space that are reduced, and no dimension of the plane.
  SmallVector<int64_t> outerReduced();
  Value partExtent();
  bool isJoined(int64_t dim) const {
    return dim >= static_cast<int64_t>(p.space().names.size()) - p.joined();
  }
  /// For a transfer along these dimensions of the space.
  IntegerAttr joinedBy(ArrayRef<int64_t> dims) {
    const bool joins = p.joined() > 1 && llvm::is_contained(dims, partDim());
    return joins ? b.getI64IntegerAttr(p.joined()) : IntegerAttr();
  }
  int64_t partDim() const { return p.plane().reducesColumns ? p.plane().columns : p.plane().rows; }

  TransferInserter &t;
  OpBuilder &b;
  ir::FusionGroupOp group;
  scf::ForOp tileLoop;
  RowProgram p;
  bool whole;
  RowSchedule s;
  RowMemory::Sizes sizes;
  std::vector<Held> inputs, tiles, outputs;
  SmallVector<Destination> destinations;

  Value tile, step;                      ///< numbers of the tile and of the window
  Value keptFrom, kept;                  ///< of the window, in the tile
  Value partFrom, part;                  ///< of the current part of the reduced dimension
  llvm::DenseMap<int64_t, Value> outer;  ///< the current index of each outer reduced dimension
  llvm::DenseMap<int64_t, Value> first;  ///< of the tile, along dimensions that are kept
  std::map<size_t, Guard> guards;        ///< of reductions, by their numbers
  llvm::DenseSet<Operation *> unguarded; ///< selections of guards that all elements satisfy
};

//===--- memory ---------------------------------------------------------------------------===//

void TransferInserter::RowWork::chooseSizes() {
  const RowMemory memory(p, s, t.machine, [&](Value tensor) {
    return tensor ? requestedCopies(t.kernel, "ub", nameOf(tensor))
                  : requestedCopies(t.kernel, "out", "");
  });
  const ArrayRef<int64_t> extents = *group.getTile();
  sizes = memory.sizesOf(extents[0], extents[1], whole);
}

StringRef TransferInserter::RowWork::nameOf(Value tensor) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    tensor = slice.getSource();
  const StringRef name = t.names.lookup(tensor);
  return name.empty() ? "value" : name;
}

Value TransferInserter::RowWork::alloc(StringRef name, StringRef buffers, bool isOnPlane,
                                       Broadcast cover, Type element) {
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
  return aicore::AllocOp::create(b, t.loc, type, name, buffers, 1, /*parts=*/1, IntegerAttr());
}

void TransferInserter::RowWork::allocate() {
  for (RowInput &input : p.inputs())
    inputs.push_back({alloc(nameOf(input.tensor), "ub", true, broadcastOf(p, input.dims),
                            input.element.getType()),
                      {}});
  for (const RowTile &it : s.tiles)
    tiles.push_back(
        {alloc(it.isKept ? "row" : "tile", "scratch", !it.isKept, Broadcast::full, it.element),
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

void TransferInserter::RowWork::load(unsigned number, Value slotNumber) {
  const RowInput &input = p.inputs()[number];
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
  t.fill(view, along, rows, columns, held.buffer, held.slot, joinedBy(input.dims));
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
    if (IntegerAttr joined = joinedBy(output.dims))
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
  Value offset = arith::IndexCastOp::create(b, loc, b.getI32Type(), partFrom);
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

//===--- passes ---------------------------------------------------------------------------===//

SmallVector<int64_t> TransferInserter::RowWork::outerReduced() {
  SmallVector<int64_t> dims;
  for (int64_t dim : p.space().reduced())
    if (dim != partDim() && !isJoined(dim))
      dims.push_back(dim);
  return dims;
}

/// Of the reduced dimension of the plane, with those that are joined to it.
Value TransferInserter::RowWork::partExtent() {
  Value extent = t.dimension(p.space().names[partDim()]);
  for (int64_t before = 1; before < p.joined(); ++before)
    extent =
        arith::MulIOp::create(b, t.loc, extent, t.dimension(p.space().names[partDim() - before]));
  return extent;
}

// One part of the reduced dimensions: `number` counts the parts of all windows.
void TransferInserter::RowWork::emitBody(RowPass &pass, Value number) {
  for (unsigned input : pass.inputs) {
    // What is the same for all kept elements is loaded once for each tile.
    const bool isOfAll = whole && p.plane().reducesColumns &&
                         broadcastOf(p, p.inputs()[input].dims) == Broadcast::row;
    load(input, isOfAll ? tile : number);
  }
  for (auto [i, it] : llvm::enumerate(s.tiles))
    if (!it.isKept)
      tiles[i].slot = t.slot(number, tiles[i].buffer);
  for (unsigned output : pass.outputs)
    outputs[output].slot = t.slot(number, outputs[output].buffer);
  emitGuarded(pass);
  for (unsigned output : pass.outputs)
    store(output);
}

//===--- guards ---------------------------------------------------------------------------===//

// Each output has all dimensions that are kept.
void TransferInserter::RowWork::findOffsets() {
  const RowOutput &output = p.outputs().front();
  for (const Destination &destination : destinations)
    if (destination.value == output.tensor)
      for (auto [i, dim] : llvm::enumerate(output.dims))
        if (dim >= 0 && !p.space().isReduced[dim])
          first[dim] = destination.view.offsets[i];
  for (auto [number, reduction] : llvm::enumerate(p.reductions()))
    if (std::optional<Guard> guard = guardOf(p, reduction))
      guards[number] = *guard;
}

/// The largest or least value of a form for the elements of the window; `ofPart`: and of the
/// current part, else but for what the reduced dimension of the plane adds. Nothing where data
/// decides.
std::optional<Value> TransferInserter::RowWork::bound(const LinearForm &form, bool isLargest,
                                                      bool ofPart) {
  const int64_t keptDim = p.plane().reducesColumns ? p.plane().rows : p.plane().columns;
  if (!form.inputs.empty())
    return std::nullopt;
  Value sum = t.index(form.constant);
  const auto addTimes = [&](Value value, int64_t factor) {
    if (value.getType() != b.getIndexType())
      value = arith::IndexCastOp::create(b, t.loc, b.getIndexType(), value);
    sum = t.add(sum, arith::MulIOp::create(b, t.loc, value, t.index(factor)));
  };
  const auto lastOf = [&](Value from, Value count) {
    return arith::SubIOp::create(b, t.loc, t.add(from, count), t.index(1)).getResult();
  };
  for (auto [scalar, factor] : form.scalars)
    addTimes(t.map.lookupOrDefault(scalar), factor);
  for (auto [dim, factor] : form.positions) {
    const bool takesLast = (factor > 0) == isLargest;
    if (dim == partDim()) {
      if (ofPart)
        addTimes(takesLast ? lastOf(partFrom, part) : partFrom, factor);
    } else if (dim == keptDim) {
      Value from = t.add(first.lookup(dim), keptFrom);
      addTimes(takesLast ? lastOf(from, kept) : from, factor);
    } else if (!p.space().isReduced[dim]) {
      addTimes(first.lookup(dim), factor);
    } else if (takesLast) { // of an outer loop
      addTimes(lastOf(t.index(0), t.dimension(p.space().names[dim])), factor);
    }
  }
  return sum;
}

TransferInserter::RowWork::Range TransferInserter::RowWork::rangeOf(const Guard &guard,
                                                                    Value extent) {
  Range range = {t.index(0), extent};
  Value zero = t.index(0);
  for (const LinearForm &form : guard.atLeastZero) {
    const int64_t factor = form.factorOf(partDim());
    const std::optional<Value> rest = bound(form, /*isLargest=*/true, /*ofPart=*/false);
    if (factor == 0 || !rest)
      continue;
    // factor * position + rest >= 0.
    if (factor > 0) {
      Value below = arith::MaxSIOp::create(
          b, t.loc, arith::SubIOp::create(b, t.loc, zero, *rest).getResult(), zero);
      Value from = arith::CeilDivSIOp::create(b, t.loc, below, t.index(factor));
      range.first = arith::MaxSIOp::create(b, t.loc, range.first, from);
    } else {
      Value above = arith::MaxSIOp::create(b, t.loc, t.add(*rest, t.index(-factor)), zero);
      Value end = arith::DivSIOp::create(b, t.loc, above, t.index(-factor));
      range.end = arith::MinSIOp::create(b, t.loc, range.end, end);
    }
  }
  return range;
}

TransferInserter::RowWork::Range TransferInserter::RowWork::rangeOf(const RowPass &pass) {
  Range all;
  if (!pass.outputs.empty())
    return all;
  Value extent = partExtent();
  for (const RowStep &it : pass.body) {
    if (it.kind != RowStep::Kind::reduce)
      continue;
    auto guard = guards.find(it.reduction);
    if (guard == guards.end())
      return {};
    const Range range = rangeOf(guard->second, extent);
    all.first = all.first ? arith::MinSIOp::create(b, t.loc, all.first, range.first) : range.first;
    all.end = all.end ? arith::MaxSIOp::create(b, t.loc, all.end, range.end) : range.end;
  }
  return all;
}

/// Whether each element of the current part satisfies the guards of the pass; null where that is
/// not known, or there are none.
Value TransferInserter::RowWork::satisfiesAll(const RowPass &pass) {
  Value all;
  for (const RowStep &it : pass.body) {
    auto guard = guards.find(it.reduction);
    if (it.kind != RowStep::Kind::reduce || guard == guards.end())
      continue;
    if (!guard->second.isExact)
      return {};
    for (const LinearForm &form : guard->second.atLeastZero) {
      const std::optional<Value> least = bound(form, /*isLargest=*/false, /*ofPart=*/true);
      if (!least)
        return {};
      Value holds = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::sge, *least, t.index(0));
      all = all ? arith::AndIOp::create(b, t.loc, all, holds).getResult() : holds;
    }
  }
  return all;
}

// Parts in which a guard excludes nothing are computed without it.
void TransferInserter::RowWork::emitGuarded(const RowPass &pass) {
  Value all = whole ? Value() : satisfiesAll(pass);
  if (!all)
    return emitSteps(pass.body);
  auto branch = scf::IfOp::create(b, t.loc, all, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  emitSteps(pass.body);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  for (const RowStep &it : pass.body)
    if (auto own = guards.find(it.reduction);
        it.kind == RowStep::Kind::reduce && own != guards.end())
      unguarded.insert(own->second.masked.getDefiningOp());
  emitSteps(pass.body);
  unguarded.clear();
}

void TransferInserter::RowWork::emitPass(RowPass &pass, size_t number) {
  emitSteps(pass.before);
  Value extent = partExtent();
  if (whole) {
    // What no guard leaves is at the end of a row, mostly. A position counts from the row's start.
    partFrom = t.index(0);
    part = extent;
    if (Value end = rangeOf(pass).end)
      part = arith::MaxSIOp::create(b, t.loc, end, t.index(1));
    emitBody(pass, step);
  } else {
    OpBuilder::InsertionGuard guard(b);
    Value one = t.index(1), zero = t.index(0), parts = one, at;
    Value length = t.index(p.plane().reducesColumns ? sizes.width : sizes.height);
    auto loopOver = [&](Value count) {
      auto loop = scf::ForOp::create(b, t.loc, zero, count, one);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      Value index = loop.getInductionVar();
      at = at ? arith::AddIOp::create(b, t.loc, arith::MulIOp::create(b, t.loc, at, count), index)
                    .getResult()
              : index;
      return index;
    };
    Value chunks = arith::CeilDivSIOp::create(b, t.loc, extent, length);
    SmallVector<Value> counts;
    for (int64_t dim : outerReduced())
      counts.push_back(t.dimension(p.space().names[dim]));
    for (Value count : counts)
      parts = arith::MulIOp::create(b, t.loc, parts, count);
    parts = arith::MulIOp::create(b, t.loc, parts, chunks);
    Value before = arith::MulIOp::create(
        b, t.loc,
        t.add(arith::MulIOp::create(b, t.loc, step, t.index(s.passes.size())), t.index(number)),
        parts);
    // Where guards leave some parts, these are counted from 0 in each pass.
    const Range range = rangeOf(pass);
    Value skipped = zero, counted = chunks;
    if (range.first) {
      skipped = arith::DivSIOp::create(b, t.loc, range.first, length);
      Value end = arith::CeilDivSIOp::create(b, t.loc, range.end, length);
      counted = arith::SubIOp::create(b, t.loc, end, skipped);
      before = zero;
    }
    for (auto [dim, count] : llvm::zip(outerReduced(), counts))
      outer[dim] = loopOver(count);
    partFrom = arith::MulIOp::create(b, t.loc, t.add(skipped, loopOver(counted)), length);
    part =
        arith::MinSIOp::create(b, t.loc, arith::SubIOp::create(b, t.loc, extent, partFrom), length);
    emitBody(pass, t.add(before, at));
    outer.clear();
  }
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
  for (auto [number, pass] : llvm::enumerate(s.passes))
    emitPass(pass, number);
  partFrom = part = {};
  for (unsigned output : s.keptOutputs)
    store(output);
}

void TransferInserter::RowWork::emit() {
  t.startPhase(group);
  chooseSizes();
  allocate();
  t.emitScalars(group);
  tile = t.emitLoop(tileLoop).getInductionVar();
  destinations = t.findDestinations(group, tileLoop);
  findOffsets();
  t.loc = group.getLoc();

  const bool reducesColumns = p.plane().reducesColumns;
  const int64_t keptDim = reducesColumns ? p.plane().rows : p.plane().columns;
  Value extent = t.index(1);
  const RowOutput &output = p.outputs().front();
  const Destination *destination =
      llvm::find_if(destinations, [&](const Destination &it) { return it.value == output.tensor; });
  for (auto [i, dim] : llvm::enumerate(output.dims))
    if (dim == keptDim && dim >= 0)
      extent = destination->sizes[i];
  Value one = t.index(1), zero = t.index(0);
  const int64_t steps = reducesColumns ? llvm::divideCeil(sizes.kept, sizes.height) : 1;
  auto work = aicore::VectorWorkOp::create(b, t.loc, tile, reducesColumns ? extent : one,
                                           reducesColumns ? one : extent, zero, steps,
                                           reducesColumns ? sizes.height : 1, !reducesColumns);
  OpBuilder::InsertionGuard guard(b);
  Block *window = b.createBlock(&work.getBody(), {}, SmallVector<Type>(5, b.getIndexType()),
                                SmallVector<Location>(5, t.loc));
  keptFrom = window->getArgument(reducesColumns ? 0 : 2);
  kept = window->getArgument(reducesColumns ? 1 : 3);
  step = window->getArgument(4);
  emitWindow();
}

LogicalResult TransferInserter::emitRows(ir::FusionGroupOp group) {
  FailureOr<TiledGroup> found = findTiledGroup(kernel, group);
  if (failed(found))
    return failure();
  FailureOr<RowProgram> program = RowProgram::of(group, *found->tileLoop.getBody());
  if (failed(program))
    return failure();
  const RowSpace space(group);
  const RowForm form = rowFormOf(kernel, space);
  if (form == RowForm::online && !makeOnline(*program)) {
    const std::string key = rowChoiceOf(kernel, space);
    return group.emitError()
           << key
           << " = online rescales sums of exponentials while their maximum grows; "
              "here a reduction waits for another in another way; nearest legal: "
           << key << " = two_pass";
  }
  const bool whole = form == RowForm::whole;
  RowWork(*this, group, found->tileLoop, std::move(*program), whole).emit();
  return success();
}

} // namespace mmk
