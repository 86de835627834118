// The part of aicore-place that the vector cores see: what happens to a tile between the product
// and global memory, or the whole of an elementwise nest.
#include "place/placer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Spread;

void Placer::emitEpilogue(Tile &tile, VectorBuffers &buffers, ArrayRef<Destination> destinations) {
  loc = tile.last()->getLoc();
  if (tile.parts == 1)
    return emitDrain(tile, buffers, destinations);
  for (int64_t part = 0; part < tile.parts; ++part) {
    Tile own = partOf(tile, part);
    emitDrain(own, buffers, destinations);
  }
}

// What happens to a tile, or to a part of one, behind its product.
void Placer::emitDrain(Tile &tile, VectorBuffers &buffers, ArrayRef<Destination> destinations) {
  const bool split = machine.getTopology() == aicore::Topology::split;
  const bool byFixpipe = leavesByFixpipe(tile);
  Value product = tile.product();
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

  if (byFixpipe)
    for (const Destination &destination : destinations) {
      if (destination.value != product && buffers.needed)
        continue;
      SmallVector<int64_t> along = {rank > 1 ? int64_t(destination.view.dims[rank - 2]) : -1,
                                    int64_t(destination.view.dims[rank - 1])};
      SmallVector<Value> offsets = destination.view.offsets;
      offsets[along[1]] = add(offsets[along[1]], tile.firstColumn);
      whereItIs([&] {
        aicore::FixpipeOp::create(b, loc, tile.acc, tile.accSlot, destination.view.memref, offsets,
                                  along, tile.rows, tile.columns, part);
      });
    }
  if (!buffers.needed)
    return;
  if (!split)
    return emitVectorSection(tile, buffers, destinations, Value(), 1);

  if (byFixpipe) {
    Value spillSlot = slot(tile.number, buffers.spilled);
    whereItIs([&] {
      aicore::SpillOp::create(b, loc, tile.acc, tile.accSlot, tile.rows, tile.columns,
                              buffers.spilled, spillSlot, part);
    });
  }
  auto onVectorCores = aicore::VectorCoresOp::create(b, loc, machine.getVectorCores());
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&onVectorCores.getBody(), {}, b.getIndexType(), loc);
  emitVectorSection(tile, buffers, destinations, inside->getArgument(0), machine.getVectorCores());
}

// This core's part of the tile: rows, or columns when there is only one row.
Placer::VectorStep Placer::shareOfCore(Tile &tile, Value core, int64_t cores) {
  VectorStep own;
  own.zero = index(0);
  own.firstRow = own.zero;
  own.rows = tile.rows;
  own.firstColumn = tile.firstColumn ? tile.firstColumn : own.zero;
  own.columns = tile.columns;
  if (core && cores > 1) {
    Value &first = tile.rank > 1 ? own.firstRow : own.firstColumn;
    Value &extent = tile.rank > 1 ? own.rows : own.columns;
    Value part = arith::CeilDivSIOp::create(b, loc, extent, index(cores));
    first = arith::MulIOp::create(b, loc, core, part);
    Value rest = arith::SubIOp::create(b, loc, extent, first);
    extent = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, part, rest), own.zero);
  }
  return own;
}

void Placer::emitVectorSection(Tile &tile, VectorBuffers &buffers,
                               ArrayRef<Destination> destinations, Value core, int64_t cores) {
  VectorStep at = shareOfCore(tile, core, cores);
  // What all rows share comes in once a tile.
  at.inputSlots.resize(buffers.inputs.size());
  at.row = at.firstRow;
  for (auto [i, input] : llvm::enumerate(buffers.inputs))
    if (input.spread == Spread::row || input.spread == Spread::single) {
      at.inputSlots[i] = slot(tile.number, input.buffer);
      loadInput(tile, buffers, at, i);
    }
  if (buffers.spilled)
    at.spillSlot = slot(tile.number, buffers.spilled);

  Value step = index(buffers.rowsAStep);
  Value first = arith::MulIOp::create(b, loc, tile.number, index(buffers.steps));
  auto loop = scf::ForOp::create(b, loc, at.zero, at.rows, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value done = loop.getInductionVar();
  at.row = add(at.firstRow, done);
  at.count = arith::MinSIOp::create(b, loc, step, arith::SubIOp::create(b, loc, at.rows, done));
  at.number = add(first, arith::DivSIOp::create(b, loc, done, step));
  takeInputs(tile, buffers, at);
  if (tile.generic)
    emitVectorOp(tile, buffers, at);
  for (const Destination &destination : destinations)
    storeResult(tile, buffers, at, destination);
}

void Placer::loadInput(Tile &tile, const VectorBuffers &buffers, const VectorStep &at,
                       size_t number) {
  const VectorBuffers::Input &input = buffers.inputs[number];
  GlobalView view = viewOf(input.operand->get());
  AffineMap map = tile.generic.getMatchingIndexingMap(input.operand);
  int64_t rowDim = -1, columnDim = -1;
  for (auto [i, expression] : llvm::enumerate(map.getResults())) {
    unsigned position = cast<AffineDimExpr>(expression).getPosition();
    if (position == tile.rank - 1)
      columnDim = view.dims[i];
    else if (tile.rank > 1 && position == tile.rank - 2)
      rowDim = view.dims[i];
  }
  if (rowDim >= 0)
    view.offsets[rowDim] = add(view.offsets[rowDim], at.row);
  if (columnDim >= 0)
    view.offsets[columnDim] = add(view.offsets[columnDim], at.firstColumn);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = at.zero;
  // A column is held as a row: the buffer's columns run along the tensor's rows.
  Value one = index(1);
  SmallVector<int64_t> along = {rowDim, columnDim};
  Value extents[2] = {at.count, at.columns};
  if (input.spread == Spread::column) {
    along = {-1, rowDim};
    extents[0] = one;
    extents[1] = at.count;
  } else if (input.spread == Spread::row) {
    extents[0] = one;
  } else if (input.spread == Spread::single) {
    extents[0] = extents[1] = one;
  }
  aicore::LoadOp::create(b, loc, view.memref, view.offsets, along, extents[0], extents[1],
                         input.buffer, at.inputSlots[number], 1);
}

// The rows of a step, of all that has rows.
void Placer::takeInputs(Tile &tile, VectorBuffers &buffers, VectorStep &at) {
  for (auto [i, input] : llvm::enumerate(buffers.inputs)) {
    Value &inSlot = at.inputSlots[i];
    if (inSlot)
      continue;
    inSlot = slot(at.number, input.buffer);
    if (!input.isProduct)
      loadInput(tile, buffers, at, i);
    else if (tile.sum)
      emitSum(tile, buffers, input.buffer, inSlot, at.number, at.row, at.firstColumn, at.count,
              at.columns);
    else if (buffers.spilled)
      aicore::FetchOp::create(b, loc, buffers.spilled, at.spillSlot, at.row, at.count, at.columns,
                              input.buffer, inSlot);
    else
      aicore::DrainOp::create(b, loc, tile.acc, tile.accSlot, at.row, at.count, at.columns,
                              input.buffer, inSlot,
                              tile.part ? b.getI64IntegerAttr(*tile.part) : IntegerAttr());
  }
}

void Placer::emitVectorOp(Tile &tile, VectorBuffers &buffers, VectorStep &at) {
  SmallVector<Value> inputs;
  SmallVector<Attribute> spreads;
  for (const auto &input : buffers.inputs) {
    inputs.push_back(input.buffer);
    spreads.push_back(aicore::SpreadAttr::get(b.getContext(), input.spread));
  }
  for (Value output : buffers.outputs)
    at.outputSlots.push_back(slot(at.number, output));
  auto vector = aicore::VectorOp::create(b, loc, inputs, at.inputSlots, b.getArrayAttr(spreads),
                                         buffers.outputs, at.outputSlots, buffers.scratch, at.count,
                                         at.columns);
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

// The rows of a step of one result, unless the fixpipe writes it.
void Placer::storeResult(Tile &tile, VectorBuffers &buffers, const VectorStep &at,
                         const Destination &destination) {
  Value buffer, fromSlot;
  for (unsigned i = 0; i < buffers.outputs.size(); ++i)
    if (tile.generic.getResult(i) == destination.value) {
      buffer = buffers.outputs[i];
      fromSlot = at.outputSlots[i];
    }
  if (!buffer && destination.value == tile.product() && !buffers.spilled)
    for (auto [input, inSlot] : llvm::zip(buffers.inputs, at.inputSlots))
      if (input.isProduct) {
        buffer = input.buffer;
        fromSlot = inSlot;
      }
  if (!buffer)
    return;
  GlobalView view = destination.view;
  int64_t rowDim = tile.rank > 1 ? int64_t(view.dims[tile.rank - 2]) : -1;
  int64_t columnDim = view.dims[tile.rank - 1];
  if (rowDim >= 0)
    view.offsets[rowDim] = add(view.offsets[rowDim], at.row);
  view.offsets[columnDim] = add(view.offsets[columnDim], at.firstColumn);
  aicore::StoreOp::create(b, loc, buffer, fromSlot, view.memref, view.offsets,
                          ArrayRef<int64_t>{rowDim, columnDim}, at.count, at.columns);
}

} // namespace mmk
