#include "place/chain_work.h"

#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;
using aicore::Space;

//===--- sizes and buffers ----------------------------------------------------------------===//

TransferInserter::ChainWork::ChainWork(TransferInserter &inserter, ir::FusionGroupOp group,
                                       Tile &ofBlock, RowProgram program, Chain whole)
    : RowWork(inserter, group, ofBlock, std::move(program), /*whole=*/false),
      chain(std::move(whole)), sizer(t.kernel, chain, p, s, t.machine),
      firsts(chain.firsts.begin(), chain.firsts.end()),
      seconds(chain.seconds.begin(), chain.seconds.end()) {
  const Operand columns(chain.firsts.front(), 1);
  ofProduct = {columns.tensor, columns.outer};
  for (const RowWeights &each : p.weights())
    weights.push_back({static_cast<unsigned>(each.output), {}, {}, {}});
  for (Second &second : seconds)
    while (p.outputs()[weights[second.weights].output].tensor != second.chain.weights())
      ++second.weights;
}

void TransferInserter::ChainWork::allocate() {
  t.loc = group.getLoc();
  RowWork::allocate();
  // Of the weights of later parts there are ratios before they are used.
  llvm::SmallSet<unsigned, 2> ratios;
  for (const RowSchedule::OfWeights &it : s.ofWeights)
    if (it.ratio && ratios.insert(it.ratio->number).second)
      tiles[it.ratio->number].buffer.getDefiningOp<aicore::AllocOp>().setCopies(
          chosen.windows * (chosen.preload + 1));
  allocateProducts();
  for (Second &of : seconds)
    allocateResults(of);
}

//===--- the tile and its windows ---------------------------------------------------------===//

LogicalResult TransferInserter::ChainWork::emit() {
  t.startPhase(group);
  if (failed(chooseSizes()))
    return failure();
  allocate();
  t.emitScalars(group);
  tile = t.emitLoop(ofBlock.tileLoop).getInductionVar();
  destinations = t.findDestinations(group, ofBlock.tileLoop);
  findTile();
  return emitTile();
}

// The results have the batches and rows of the space, and columns of their own.
void TransferInserter::ChainWork::findTile() {
  for (Second &of : seconds) {
    const Destination *found = llvm::find_if(destinations, [&](const Destination &it) {
      return llvm::is_contained(of.chain.last()->getResults(), it.value);
    });
    const size_t rank = found->sizes.size();
    for (size_t dim = 0; dim + 1 < rank; ++dim)
      first[dim] = found->view.offsets[found->view.dims[dim]];
    rows = found->sizes[rank - 2];
    of.columns = found->sizes[rank - 1];
  }
  findGuards();
}

void TransferInserter::ChainWork::onWindows(Value number, function_ref<void()> emit) {
  t.loc = group.getLoc();
  auto work = aicore::VectorWorkOp::create(
      b, t.loc, number, rows, t.index(1), t.index(0), chosen.windows, sizes.height,
      /*by_columns=*/false, /*nonempty=*/true,
      /*interleaved=*/t.machine.cubeFillsUb() && !sizer.productsPassMemory);
  OpBuilder::InsertionGuard guard(b);
  Block *window = b.createBlock(&work.getBody(), {}, SmallVector<Type>(5, b.getIndexType()),
                                SmallVector<Location>(5, t.loc));
  keptFrom = window->getArgument(0);
  kept = window->getArgument(1);
  step = window->getArgument(4);
  emit();
}

// Cores that start at the same part would read the same lines at the same time.
void TransferInserter::ChainWork::setPartAt(const Parts &parts, Value number) {
  Value which = number;
  if (t.isSkewed())
    which = arith::RemSIOp::create(b, t.loc, t.add(number, t.block), parts.count);
  setPart(arith::MulIOp::create(b, t.loc, t.add(parts.first, which), t.index(sizes.width)),
          partExtent(), t.index(sizes.width));
  if (!parts.isGuarded)
    return;
  // The first and the last part have no more columns than the conditions leave of them.
  Value end = arith::MinSIOp::create(b, t.loc, t.add(partFrom, part), parts.some.end);
  partFrom = arith::MaxSIOp::create(b, t.loc, partFrom, parts.some.first);
  setPart(partFrom, end, t.index(sizes.width));
}

void TransferInserter::ChainWork::emitAhead(const Parts &parts, Value number) {
  Value exists = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::slt, number, parts.count);
  t.when(exists, [&] {
    setPartAt(parts, number);
    emitFirsts(number);
    emitWeights(number);
  });
}

/// Whether the loop goes over the columns alone that the condition of these weights leaves.
bool TransferInserter::ChainWork::leavesRange(const Weights &of) {
  const auto found = guarded.find(of.output);
  return found != guarded.end() && found->second.guard.isExact &&
         llvm::all_of(found->second.guard.atLeastZero, [&](const PositionForm &form) {
           return form.factorOf(keptDim()) == 0 &&
                  llvm::all_of(form.inputs, [&](auto &it) { return bounding.contains(it.first); });
         });
}

LogicalResult TransferInserter::ChainWork::emitTile() {
  loadRowsOfFirsts();
  onWindows(tile, [&] { emitStart(); });
  keptFrom = t.index(0);
  kept = rows;
  readBounds();
  for (Second &of : seconds)
    if (of.product->hasAttr(excludedAttr) && !leavesRange(weights[of.weights]))
      return of.product.emitOpError()
             << "leaves columns out by " << excludedAttr
             << ", but its weights have no condition that leaves a range of them for the rows of a "
                "tile";
  Parts parts = partsOf(s.passes.front(), partExtent(), t.index(sizes.width));
  if (parts.isGuarded) {
    Value isAny = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::slt, parts.some.first,
                                        parts.some.end);
    parts.count = arith::SelectOp::create(b, t.loc, isAny, parts.count, t.index(0));
  }
  for (int64_t ahead = 0; ahead < chosen.preload; ++ahead)
    emitAhead(parts, t.index(ahead));
  const auto emit = [&] {
    for (Second &of : seconds)
      if (of.size.staysInL0C)
        of.sumSlot = t.slot(tile, of.sums);
    loopOverParts(parts);
    emitCollect(/*staysInL0C=*/true, tile);
  };
  // Where a condition leaves no part, or a divided row is too short for one, there is no sum in L0C
  // either.
  if ((parts.isGuarded || isDivided()) &&
      llvm::any_of(seconds, [](const Second &it) { return it.size.staysInL0C; }))
    t.when(arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::sgt, parts.count, t.index(0)),
           emit);
  else
    emit();
  onWindows(tile, [&] { emitEnd(); });
  return success();
}

void TransferInserter::ChainWork::loopOverParts(const Parts &parts) {
  auto loop = scf::ForOp::create(b, t.loc, t.index(0), parts.count, t.index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  emitAhead(parts, t.add(number, t.index(chosen.preload)));
  setPartAt(parts, number);
  emitSeconds(number);
  emitCollect(/*staysInL0C=*/false, number);
}

//===--- the work of the vector cores -----------------------------------------------------===//

void TransferInserter::ChainWork::placeKept() {
  for (auto [i, it] : llvm::enumerate(s.tiles))
    if (it.isKept)
      tiles[i].slot = t.slot(step, tiles[i].buffer);
}

void TransferInserter::ChainWork::loadKeptInputs(ArrayRef<RowStep> of) {
  for (unsigned input : s.keptInputs)
    if (llvm::any_of(of, [&](const RowStep &it) {
          return llvm::any_of(
              it.reads, [&](auto &read) { return read.second == RowPlace{Place::input, input}; });
        }))
      load(input, step);
}

void TransferInserter::ChainWork::emitStart() {
  const RowPass &pass = s.passes.front();
  placeKept();
  loadKeptInputs(pass.before);
  emitSteps(pass.before);
  for (Second &of : seconds) {
    of.result.slot = t.slot(step, of.result.buffer);
    part = of.columns;
    createVector({}, {}, of.result, /*isKept=*/false, [&](ValueRange) -> SmallVector<Value> {
      const Type sum = elementOf(of.product.getResult(0));
      return {arith::ConstantOp::create(b, t.loc, b.getZeroAttr(sum))};
    });
  }
}

void TransferInserter::ChainWork::emitWeights(Value number) {
  RowPass &pass = s.passes.front();
  onWindows(number, [&] {
    placeKept();
    loadKeptInputs(pass.body);
    for (unsigned input : pass.inputs) {
      const auto which = llvm::find_if(
          firsts, [&](First &it) { return it.product.getResult(0) == p.inputs()[input].tensor; });
      if (which == firsts.end()) {
        load(input, step);
        continue;
      }
      Held &held = inputs[input];
      held.slot = t.slot(step, held.buffer);
      if (sizer.productsPassMemory) {
        fetchProduct(which->ring, number, part, held);
        continue;
      }
      Value accNumber = firstNumber(which - firsts.begin(), number, t.index(0)).inL0C;
      drainProduct(acc, t.slot(accNumber, acc), part, held);
    }
    for (auto [i, it] : llvm::enumerate(s.tiles))
      if (!it.isKept)
        tiles[i].slot = t.slot(step, tiles[i].buffer);
    for (Weights &it : weights)
      outputs[it.output].slot = t.slot(step, outputs[it.output].buffer);
    emitGuarded(pass, boundsOf(pass, partExtent()).all);
    for (Weights &it : weights) {
      const Held &held = outputs[it.output];
      t.loc = p.outputs()[it.output].tensor.getLoc();
      Value to = sizer.weightsPassMemory ? it.ring : it.l1;
      aicore::SpillOp::create(b, t.loc, held.buffer, held.slot, kept, part, to, t.slot(number, to),
                              keptFrom, /*column=*/Value(), IntegerAttr());
    }
  });
}

// A part of a second product is added to those before, which are of a smaller maximum.
void TransferInserter::ChainWork::emitCollect(bool staysInL0C, Value number) {
  const auto collects = [&](const Second &of) { return of.size.staysInL0C == staysInL0C; };
  if (llvm::none_of(seconds, collects))
    return;
  for (auto [which, of] : llvm::enumerate(seconds))
    if (staysInL0C && collects(of) && sizer.productsPassMemory)
      aicore::SpillOp::create(b, of.product.getLoc(), of.sums, of.sumSlot, rows, of.columns,
                              of.ring, t.slot(tile, of.ring), /*row=*/Value(), t.index(0),
                              IntegerAttr());
  onWindows(number, [&] {
    for (auto [which, of] : llvm::enumerate(seconds)) {
      if (!collects(of))
        continue;
      t.loc = of.product.getLoc();
      of.taken.slot = t.slot(step, of.taken.buffer);
      if (sizer.productsPassMemory)
        fetchProduct(of.ring, number, of.columns, of.taken);
      else if (staysInL0C)
        drainProduct(of.sums, of.sumSlot, of.columns, of.taken);
      else
        drainProduct(acc, t.slot(secondNumber(which, number).inL0C, acc), of.columns, of.taken);
      collect(of);
    }
  });
}

void TransferInserter::ChainWork::emitEnd() {
  const RowPass &pass = s.passes.front();
  placeKept();
  loadKeptInputs(pass.after);
  for (unsigned output : s.keptOutputs)
    outputs[output].slot = t.slot(step, outputs[output].buffer);
  emitSteps(pass.after);
  for (Second &of : seconds)
    finish(of);
  partFrom = part = {};
  for (unsigned output : s.keptOutputs)
    store(output);
  for (Second &of : seconds)
    storeFinished(of);
}

//===--- behind the second products -------------------------------------------------------===//

void TransferInserter::ChainWork::allocateResults(Second &of) {
  const RowMemory memory(p, s, t.machine, {});
  const auto allocRows = [&](StringRef name, StringRef buffers, Type element, Broadcast cover,
                             int64_t copies = 1) {
    const bool byRow = cover == Broadcast::full, byColumn = byRow || cover == Broadcast::row;
    const int64_t columns = byColumn                     ? of.size.width
                            : cover == Broadcast::column ? sizes.height
                                                         : 1;
    return allocIn(Space::ub, name, buffers, byRow ? sizes.height : 1,
                   memory.padded(columns, element), element, copies);
  };
  const Type sum = elementOf(of.product.getResult(0));
  t.loc = of.chain.last()->getLoc();
  of.taken.buffer = allocRows("acc", "ub", sum, Broadcast::full);
  of.result.buffer = allocRows("sum", "scratch", sum, Broadcast::full, chosen.windows);
  for (auto [i, value] : llvm::enumerate(of.chain.last()->getResults()))
    of.finished.push_back({value,
                           {allocRows(("result" + (i ? Twine(i) : Twine())).str(), "out",
                                      elementOf(value), Broadcast::full),
                            {}}});
  if (of.chain.epilogue)
    for (OpOperand *operand : of.chain.epilogue.getDpsInputOperands())
      if (operand->get() != of.product.getResult(0))
        of.behind[operand] = allocRows(nameOf(operand->get()), "ub", elementOf(operand->get()),
                                       coverBehind(of, operand));
}

// What is there before is of a smaller maximum.
void TransferInserter::ChainWork::collect(Second &of) {
  of.result.slot = t.slot(step, of.result.buffer);
  part = of.columns;
  SmallVector<Held> from = {of.result, of.taken};
  SmallVector<Broadcast> covers = {Broadcast::full, Broadcast::full};
  const std::optional<RowPlace> rescales = s.ofWeights[of.weights].ratio;
  if (rescales) {
    Held &ratio = heldBy(*rescales);
    ratio.slot = t.slot(step, ratio.buffer);
    from.push_back(ratio);
    covers.push_back(Broadcast::column);
  }
  createVector(from, covers, of.result, /*isKept=*/false,
               [&](ValueRange elements) -> SmallVector<Value> {
                 Value before = elements[0];
                 if (isa<IntegerType>(before.getType()))
                   return {arith::AddIOp::create(b, t.loc, before, elements[1])};
                 if (rescales)
                   before = rescaled(of, before, elements[2]);
                 return {arith::AddFOp::create(b, t.loc, before, elements[1])};
               });
}

/// The sum, times a ratio that may be infinite where the sum is 0.
Value TransferInserter::ChainWork::rescaled(const Second &of, Value sum, Value ratio) {
  Value product = arith::MulFOp::create(b, t.loc, sum, ratio);
  return p.online()->ratios[*p.weights()[of.weights].ratio].isBounded ? product
                                                                      : zeroWhereZero(sum, product);
}

Value TransferInserter::ChainWork::zeroWhereZero(Value sum, Value product) {
  Value zero = arith::ConstantOp::create(b, t.loc, b.getF32FloatAttr(0));
  Value isZero = arith::CmpFOp::create(b, t.loc, arith::CmpFPredicate::OEQ, sum, zero);
  return arith::SelectOp::create(b, t.loc, isZero, zero, product);
}

Broadcast TransferInserter::ChainWork::coverBehind(Second &of, OpOperand *operand) {
  const int64_t rank = p.space().names.size();
  bool byRow = false, byColumn = false;
  for (AffineExpr expression : of.chain.epilogue.getMatchingIndexingMap(operand).getResults()) {
    const auto dim = cast<AffineDimExpr>(expression).getPosition();
    byRow |= dim == rank - 2;
    byColumn |= dim == rank - 1;
  }
  return byRow && byColumn ? Broadcast::full
         : byColumn        ? Broadcast::row
         : byRow           ? Broadcast::column
                           : Broadcast::single;
}

TransferInserter::ChainWork::Held
TransferInserter::ChainWork::loadBehind(Second &of, OpOperand *operand, Value buffer) {
  const int64_t rank = p.space().names.size();
  GlobalView view = t.viewOf(operand->get());
  int64_t rowDim = -1, columnDim = -1;
  for (auto [i, expression] :
       llvm::enumerate(of.chain.epilogue.getMatchingIndexingMap(operand).getResults())) {
    const auto dim = cast<AffineDimExpr>(expression).getPosition();
    if (dim == rank - 2)
      rowDim = view.dims[i];
    else if (dim == rank - 1)
      columnDim = view.dims[i];
  }
  if (rowDim >= 0)
    view.offsets[rowDim] = t.add(view.offsets[rowDim], keptFrom);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = t.index(0);
  const Broadcast cover = coverBehind(of, operand);
  SmallVector<int64_t> along = {rowDim, columnDim};
  Value one = t.index(1), height = one, length = one;
  if (cover == Broadcast::column) // is held as a row
    along = {-1, rowDim}, length = kept;
  else if (cover != Broadcast::single)
    length = of.columns;
  if (cover == Broadcast::full)
    height = kept;
  Held held{buffer, t.slot(step, buffer)};
  t.fill(view, along, height, length, held.buffer, held.slot);
  return held;
}

Value TransferInserter::ChainWork::finalElement(Value sum, Value factor) {
  return factor ? arith::MulFOp::create(b, t.loc, sum, factor).getResult() : sum;
}

void TransferInserter::ChainWork::finish(Second &of) {
  t.loc = of.chain.last()->getLoc();
  part = of.columns;
  of.result.slot = t.slot(step, of.result.buffer);
  SmallVector<Held> from = {of.result}, to;
  SmallVector<Broadcast> covers = {Broadcast::full};
  if (const std::optional<RowPlace> factor = s.ofWeights[of.weights].factor) {
    from.push_back(heldBy(*factor));
    covers.push_back(Broadcast::column);
  }
  const size_t ofProduct = from.size();
  for (auto &[operand, buffer] : of.behind) {
    from.push_back(loadBehind(of, operand, buffer));
    covers.push_back(coverBehind(of, operand));
  }
  for (auto &[value, held] : of.finished) {
    held.slot = t.slot(step, held.buffer);
    to.push_back(held);
  }
  createVector(from, covers, to, /*isKept=*/false, [&](ValueRange elements) -> SmallVector<Value> {
    Value product = finalElement(elements[0], ofProduct > 1 ? elements[1] : Value());
    if (!of.chain.epilogue)
      return {product};
    IRMapping scalars = t.map;
    size_t next = ofProduct;
    for (OpOperand *operand : of.chain.epilogue.getDpsInputOperands())
      scalars.map(of.chain.epilogue.getMatchingBlockArgument(operand),
                  of.behind.count(operand) ? elements[next++] : product);
    Block *body = of.chain.epilogue.getBody();
    for (Operation &op : body->without_terminator())
      b.clone(op, scalars);
    return llvm::map_to_vector(body->getTerminator()->getOperands(),
                               [&](Value value) { return scalars.lookupOrDefault(value); });
  });
}

void TransferInserter::ChainWork::storeFinished(Second &of) {
  const size_t rank = p.space().names.size();
  for (auto &[value, held] : of.finished)
    for (const Destination &destination : destinations) {
      if (destination.value != value)
        continue;
      GlobalView view = destination.view;
      const int64_t rowDim = view.dims[rank - 2], columnDim = view.dims[rank - 1];
      view.offsets[rowDim] = t.add(view.offsets[rowDim], keptFrom);
      aicore::StoreOp::create(b, t.loc, held.buffer, held.slot, view.memref, view.offsets,
                              ArrayRef<int64_t>{rowDim, columnDim}, kept, of.columns);
    }
}

//===--- the pass --------------------------------------------------------------------------===//

LogicalResult TransferInserter::emitChain(ir::FusionGroupOp group) {
  Chain chain = *chainOf(group);
  Tile tile;
  tile.tileLoop = tileLoopOf(group);
  FailureOr<RowProgram> program = chainRows(kernel, group, chain);
  if (failed(program))
    return failure();
  return ChainWork(*this, group, tile, std::move(*program), chain).emit();
}

} // namespace mmk
