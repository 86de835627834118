// The part of aicore-insert-transfers for the vector cores: the work on a tile between the product
// and global memory, or that of an elementwise fusion group, for any window of the tile.
#include "passes/fixpipe_form.h"
#include "place/insert_transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;

/// The state of a tile's vector work while its code is emitted.
struct TransferInserter::VectorWork {
  struct Input {
    OpOperand *operand = nullptr; ///< of the generic; null for a plain product
    aicore::PlaceOp place;        ///< in UB
    Broadcast broadcast = Broadcast::full;
    std::optional<size_t> produced; ///< which of the group's products it is, if any
    Value slot;
  };
  SmallVector<Input> inputs;
  SmallVector<aicore::PlaceOp> outputs; ///< of the generic, in UB
  SmallVector<Value> outputSlots;
  /// A product in the block's global memory, where it passes that.
  struct Spilled {
    Value buffer, slot;
  };
  SmallVector<Spilled> spilled;
  int64_t height = 1;                     ///< rows of a window, at most
  Value row, rows, column, columns, step; ///< the current window

  /// Whether there is any; else the fixpipe alone writes the result.
  bool any() const { return !inputs.empty() || !outputs.empty(); }
};

TransferInserter::VectorWork TransferInserter::findVectorWork(Tile &tile) {
  VectorWork work;
  const SmallVector<Value> products = tile.produced();
  auto heightOf = [](aicore::PlaceOp place) {
    return cast<MemRefType>(place.getBuffer().getType()).getShape()[0];
  };
  for (Value product : products)
    if (aicore::PlaceOp spilled = placeIn(product, aicore::Space::gm))
      work.spilled.push_back({bufferOf(spilled), {}});
  if (!tile.generic) {
    if (aicore::PlaceOp place = placeIn(products[0], aicore::Space::ub)) {
      work.inputs.push_back({nullptr, place, Broadcast::full, 0, {}});
      work.height = heightOf(place);
    }
    return work;
  }
  for (Value result : tile.generic.getResults())
    if (aicore::PlaceOp place = placeIn(result, aicore::Space::ub)) {
      work.outputs.push_back(place);
      work.height = heightOf(place);
    }
  if (work.outputs.empty())
    return work;
  for (OpOperand *operand : tile.generic.getDpsInputOperands()) {
    const auto *known = llvm::find(products, behindPlaces(operand->get()));
    work.inputs.push_back(
        {operand,
         operand->get().getDefiningOp<aicore::PlaceOp>(),
         broadcastOf(tile.generic.getMatchingIndexingMap(operand), tile),
         known == products.end() ? std::nullopt : std::optional<size_t>(known - products.begin()),
         {}});
  }
  return work;
}

/// What the fixpipe does with a product where it becomes this result of a group.
static FixpipeForm fixpipeFormOfResult(Value result, aicore::MachineAttr machine) {
  auto generic = result.getDefiningOp<linalg::GenericOp>();
  if (!generic)
    return {result};
  const unsigned number = cast<OpResult>(result).getResultNumber();
  return fixpipeFormOf(generic.getBody()->getTerminator()->getOperand(number),
                       fixpipeSlopes(generic, machine));
}

// The product of which `value` is a result of the group, by itself or as the fixpipe changes it.
TransferInserter::Product &TransferInserter::productOf(Tile &tile, Value value) {
  if (auto generic = value.getDefiningOp<linalg::GenericOp>())
    value = generic.getInputs()[0];
  for (Product &product : tile.anchors)
    if (product.stageLoop.getResult(0) == value)
      return product;
  return tile.anchors[0];
}

void TransferInserter::emitEpilogue(Tile &tile, ArrayRef<Destination> destinations) {
  loc = tile.last()->getLoc();
  if (tile.parts == 1)
    return emitDrain(tile, destinations);
  for (int64_t part = 0; part < tile.parts; ++part) {
    Tile own = partOf(tile, part);
    emitDrain(own, destinations);
  }
}

// Emits the work on a tile, or on a part of one, after its product.
void TransferInserter::emitDrain(Tile &tile, ArrayRef<Destination> destinations) {
  const unsigned rank = tile.rank;
  IntegerAttr part = tile.part ? b.getI64IntegerAttr(*tile.part) : IntegerAttr();
  // Only the first part of a tile has columns in any case.
  auto whereItIs = [&](auto emit) {
    OpBuilder::InsertionGuard guard(b);
    if (tile.part.value_or(0) > 0) {
      Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, tile.columns, index(0));
      auto branch = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    emit();
  };

  if (leavesByFixpipe(tile, machine))
    for (const Destination &destination : destinations) {
      if (destination.value.getDefiningOp<aicore::PlaceOp>())
        continue;
      SmallVector<int64_t> along = {rank > 1 ? int64_t(destination.view.dims[rank - 2]) : -1,
                                    int64_t(destination.view.dims[rank - 1])};
      SmallVector<Value> offsets = destination.view.offsets;
      offsets[along[1]] = add(offsets[along[1]], tile.firstColumn);
      whereItIs([&] {
        Product &product = productOf(tile, destination.value);
        const FixpipeForm form = fixpipeFormOfResult(destination.value, machine);
        Value slope = form.slope;
        if (Operation *constant = slope ? slope.getDefiningOp<arith::ConstantOp>() : nullptr)
          slope = b.clone(*constant)->getResult(0);
        aicore::FixpipeOp::create(
            b, loc, product.acc, product.accSlot, destination.view.memref, offsets, along,
            tile.rows, tile.columns, part, form.relu, slope ? map.lookupOrDefault(slope) : Value(),
            slope ? b.getI64IntegerAttr(machine.getSlopeBits()) : IntegerAttr());
      });
    }
  VectorWork work = findVectorWork(tile);
  if (!work.any())
    return;
  for (auto [product, spilled] : llvm::zip(tile.anchors, work.spilled)) {
    Value spillSlot = slot(tile.number, spilled.buffer);
    whereItIs([&] {
      aicore::SpillOp::create(b, loc, product.acc, product.accSlot, tile.rows, tile.columns,
                              spilled.buffer, spillSlot, /*row=*/Value(), /*column=*/Value(), part);
    });
  }
  emitVectorWork(tile, work, destinations);
}

void TransferInserter::emitVectorWork(Tile &tile, VectorWork &work,
                                      ArrayRef<Destination> destinations) {
  // With one dimension there are no rows to share: each vector core takes some of the columns.
  const bool byColumns = tile.rank == 1;
  const int64_t rows = byColumns ? 1 : llvm::divideCeil(tile.tileM, vectorCoresOf(machine));
  auto op = aicore::VectorWorkOp::create(
      b, loc, tile.number, tile.rows, tile.columns, tile.firstColumn ? tile.firstColumn : index(0),
      llvm::divideCeil(rows, work.height), work.height, byColumns, /*nonempty=*/false,
      /*interleaved=*/machine.cubeFillsUb() && !tile.anchors.empty() && work.spilled.empty());
  OpBuilder::InsertionGuard guard(b);
  Block *window = b.createBlock(&op.getBody(), {}, SmallVector<Type>(5, b.getIndexType()),
                                SmallVector<Location>(5, loc));
  work.row = window->getArgument(0);
  work.rows = window->getArgument(1);
  work.column = window->getArgument(2);
  work.columns = window->getArgument(3);
  work.step = window->getArgument(4);

  // Inputs that are equal for all rows are loaded once for each tile.
  for (auto [i, input] : llvm::enumerate(work.inputs))
    if (input.broadcast == Broadcast::row || input.broadcast == Broadcast::single) {
      input.slot = slot(tile.number, bufferOf(input.place));
      loadInput(tile, work, i);
    }
  for (VectorWork::Spilled &spilled : work.spilled)
    spilled.slot = slot(tile.number, spilled.buffer);
  takeInputs(tile, work);
  if (tile.generic)
    emitVectorOp(tile, work);
  for (const Destination &destination : destinations)
    storeResult(tile, work, destination);
}

void TransferInserter::loadInput(Tile &tile, VectorWork &work, size_t number) {
  const VectorWork::Input &input = work.inputs[number];
  aicore::PlaceOp place = input.place;
  GlobalView view = viewOf(place.getValue());
  AffineMap map = tile.generic.getMatchingIndexingMap(input.operand);
  int64_t rowDim = -1, columnDim = -1;
  for (auto [i, expression] : llvm::enumerate(map.getResults())) {
    unsigned position = cast<AffineDimExpr>(expression).getPosition();
    if (position == tile.rank - 1)
      columnDim = view.dims[i];
    else if (tile.rowsAt == position)
      rowDim = view.dims[i];
  }
  if (rowDim >= 0)
    view.offsets[rowDim] = add(view.offsets[rowDim], work.row);
  if (columnDim >= 0)
    view.offsets[columnDim] = add(view.offsets[columnDim], work.column);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  // A column is held as a row: the buffer's columns run along the tensor's rows.
  Value one = index(1);
  SmallVector<int64_t> along = {rowDim, columnDim};
  Value extents[2] = {work.rows, work.columns};
  if (input.broadcast == Broadcast::column) {
    along = {-1, rowDim};
    extents[0] = one;
    extents[1] = work.rows;
  } else if (input.broadcast == Broadcast::row) {
    extents[0] = one;
  } else if (input.broadcast == Broadcast::single) {
    extents[0] = extents[1] = one;
  }
  fill(view, along, extents[0], extents[1], bufferOf(place), input.slot);
}

// Loads the rows of a window, of all inputs with rows.
void TransferInserter::takeInputs(Tile &tile, VectorWork &work) {
  for (auto [i, input] : llvm::enumerate(work.inputs)) {
    if (input.slot)
      continue;
    Value buffer = bufferOf(input.place);
    input.slot = slot(work.step, buffer);
    if (!input.produced) {
      loadInput(tile, work, i);
    } else if (tile.sum) {
      emitSum(tile, work, buffer, input.slot);
    } else if (!work.spilled.empty()) {
      const VectorWork::Spilled &spilled = work.spilled[*input.produced];
      aicore::FetchOp::create(b, loc, spilled.buffer, spilled.slot, work.row, work.rows,
                              work.columns, buffer, input.slot);
    } else {
      Product &product = tile.anchors[*input.produced];
      aicore::DrainOp::create(b, loc, product.acc, product.accSlot, work.row, work.rows,
                              work.columns, buffer, input.slot,
                              tile.part ? b.getI64IntegerAttr(*tile.part) : IntegerAttr());
    }
  }
}

void TransferInserter::emitVectorOp(Tile &tile, VectorWork &work) {
  SmallVector<Value> inputs, inputSlots, outputs;
  SmallVector<Attribute> broadcasts;
  for (auto &input : work.inputs) {
    inputs.push_back(bufferOf(input.place));
    inputSlots.push_back(input.slot);
    broadcasts.push_back(aicore::BroadcastAttr::get(b.getContext(), input.broadcast));
  }
  for (aicore::PlaceOp output : work.outputs) {
    outputs.push_back(bufferOf(output));
    work.outputSlots.push_back(slot(work.step, outputs.back()));
  }
  auto vector = aicore::VectorOp::create(b, loc, inputs, inputSlots, b.getArrayAttr(broadcasts),
                                         outputs, work.outputSlots, work.rows, work.columns);
  Block *from = tile.generic.getBody();
  SmallVector<Type> elements;
  for (Value input : inputs)
    elements.push_back(cast<MemRefType>(input.getType()).getElementType());
  OpBuilder::InsertionGuard inVector(b);
  Block *body =
      b.createBlock(&vector.getBody(), {}, elements, SmallVector<Location>(elements.size(), loc));
  IRMapping scalars = map;
  for (auto [argument, element] : llvm::zip(from->getArguments(), body->getArguments()))
    scalars.map(argument, element);
  for (Operation &op : from->without_terminator())
    b.clone(op, scalars);
  SmallVector<Value> yielded;
  for (Value value : from->getTerminator()->getOperands())
    yielded.push_back(scalars.lookupOrDefault(value));
  aicore::YieldOp::create(b, loc, yielded);
}

// The sum of all splits of a product, as in the reduction: zero, and every split added to it.
// Loading the first split in place of the zero would save an instruction, but a buffer is filled by
// one pipe.
void TransferInserter::emitSum(Tile &tile, VectorWork &work, Value into, Value intoSlot) {
  auto place = tile.sum.getInputs()[0].getDefiningOp<aicore::PlaceOp>();
  Value parts = place.getValue(), buffer = bufferOf(place);
  const unsigned rank = cast<RankedTensorType>(parts.getType()).getRank();
  Value count = extentOf(parts, 0);
  Value before = arith::MulIOp::create(b, loc, work.step, count);
  const auto full = aicore::BroadcastAttr::get(b.getContext(), Broadcast::full);
  Type element = cast<MemRefType>(into.getType()).getElementType();

  // Emits one vector instruction over `inputs`, all of the sum's type, which writes `into`.
  auto compute = [&](ValueRange inputs, ValueRange slots, auto yielded) {
    auto vector = aicore::VectorOp::create(
        b, loc, inputs, slots, b.getArrayAttr(SmallVector<Attribute>(inputs.size(), full)), into,
        intoSlot, work.rows, work.columns);
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&vector.getBody(), {}, SmallVector<Type>(inputs.size(), element),
                                SmallVector<Location>(inputs.size(), loc));
    aicore::YieldOp::create(b, loc, yielded(body->getArguments()));
  };
  compute({}, {}, [&](ValueRange) -> Value {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  });

  auto loop = scf::ForOp::create(b, loc, index(0), count, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value which = loop.getInductionVar();
  GlobalView view = viewOf(parts);
  const unsigned rowDim = view.dims[rank - 2], columnDim = view.dims[rank - 1];
  for (auto [dim, offset] :
       {std::pair(view.dims[0], which), {rowDim, work.row}, {columnDim, work.column}})
    view.offsets[dim] = add(view.offsets[dim], offset);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = index(0);
  Value inSlot = slot(add(before, which), buffer);
  aicore::LoadOp::create(b, loc, view.memref, view.offsets, ArrayRef<int64_t>{rowDim, columnDim},
                         work.rows, work.columns, buffer, inSlot, 1);
  compute({into, buffer}, {intoSlot, inSlot}, [&](ValueRange elements) -> Value {
    if (isa<FloatType>(element))
      return arith::AddFOp::create(b, loc, elements[0], elements[1]);
    return arith::AddIOp::create(b, loc, elements[0], elements[1]);
  });
}

// Stores the rows of a window of one result, unless the fixpipe writes it.
void TransferInserter::storeResult(Tile &tile, VectorWork &work, const Destination &destination) {
  auto place = destination.value.getDefiningOp<aicore::PlaceOp>();
  if (!place)
    return;
  Value fromSlot;
  for (auto [output, outputSlot] : llvm::zip(work.outputs, work.outputSlots))
    if (output == place)
      fromSlot = outputSlot;
  for (const VectorWork::Input &input : work.inputs)
    if (input.place == place)
      fromSlot = input.slot;
  GlobalView view = destination.view;
  int64_t rowDim = tile.rowsAt >= 0 ? int64_t(view.dims[tile.rowsAt]) : -1;
  int64_t columnDim = view.dims[tile.rank - 1];
  if (rowDim >= 0)
    view.offsets[rowDim] = add(view.offsets[rowDim], work.row);
  view.offsets[columnDim] = add(view.offsets[columnDim], work.column);
  aicore::StoreOp::create(b, loc, bufferOf(place), fromSlot, view.memref, view.offsets,
                          ArrayRef<int64_t>{rowDim, columnDim}, work.rows, work.columns);
}

} // namespace mmk
