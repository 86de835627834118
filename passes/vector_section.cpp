// The part of aicore-place that the vector cores see: what happens to a tile between the product
// and global memory, or the whole of an elementwise nest.
#include "passes/passes.h"
#include "passes/placer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Space;
using aicore::Spread;

namespace {

// One transfer of 16 KiB or more has the full rate of a link; twice that leaves room for overlap.
constexpr int64_t stepBytes = 32768;

int64_t bytesOf(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// Columns that a row of a UB buffer is rounded up to: whole 32-byte blocks, and whole vectors of
/// 16 elements, so that no vector instruction needs a mask.
int64_t paddedColumns(int64_t columns, Type element) {
  return llvm::alignTo(columns, std::max<int64_t>(16, 32 / bytesOf(element)));
}

/// How an operand with this map covers the last two dimensions of the iterations.
Spread spreadOf(AffineMap along, unsigned rank) {
  bool byRow = false, byColumn = false;
  for (AffineExpr expression : along.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    byRow |= dim && rank > 1 && dim.getPosition() == rank - 2;
    byColumn |= dim && dim.getPosition() == rank - 1;
  }
  return byRow && byColumn ? Spread::full
         : byColumn        ? Spread::row
         : byRow           ? Spread::column
                           : Spread::single;
}

/// f32 values that are alive at once between the operations of an elementwise region: what a vector
/// unit needs scratch buffers for. One of them may live in the output when that is f32 too.
int64_t scratchBuffers(linalg::GenericOp generic) {
  Block &body = *generic.getBody();
  auto holdsTile = [](Value value) { return isa<FloatType>(value.getType()); };
  int64_t alive = 0, most = 0;
  DenseMap<Value, unsigned> usesLeft;
  for (Operation &op : body.without_terminator()) {
    // An instruction may write over an operand that it is the last to read.
    for (Value operand : op.getOperands())
      if (auto left = usesLeft.find(operand); left != usesLeft.end() && --left->second == 0)
        --alive;
    for (Value result : op.getResults())
      if (holdsTile(result)) {
        usesLeft[result] = std::distance(result.use_begin(), result.use_end());
        most = std::max(most, ++alive);
      }
  }
  bool outputHolds = llvm::any_of(body.getTerminator()->getOperands(),
                                  [](Value value) { return value.getType().isF32(); });
  return std::max<int64_t>(0, most - (outputHolds ? 1 : 0));
}

/// Whether each result is the first operand, at most in a narrower type. A result may also be a
/// scalar from outside, with an empty body: that takes the vector unit.
bool onlyNarrows(linalg::GenericOp generic) {
  Block &body = *generic.getBody();
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) {
    while (auto narrowed = value.getDefiningOp<arith::TruncFOp>())
      value = narrowed.getIn();
    return value == body.getArgument(0);
  });
}

} // namespace

void Placer::allocateVectorSection(Tile &tile, VectorBuffers &buffers) {
  const bool split = machine.getTopology() == aicore::Topology::split;
  const int64_t cores = split ? machine.getVectorCores() : 1;
  const bool byFixpipe = split && tile.stageLoop;
  Value product = tile.product();

  // On a split chip the fixpipe writes products, also narrowed, straight to global memory.
  buffers.needed = tile.generic ? !(byFixpipe && tile.generic.getInputs().size() == 1 &&
                                    tile.generic.getInputs()[0] == product &&
                                    tile.generic.getIndexingMapsArray()[0].isIdentity() &&
                                    onlyNarrows(tile.generic))
                                : !byFixpipe;
  if (!buffers.needed)
    return;

  SmallVector<Type> outputs;
  if (tile.generic) {
    for (OpOperand *operand : tile.generic.getDpsInputOperands()) {
      AffineMap along = tile.generic.getMatchingIndexingMap(operand);
      buffers.inputs.push_back(
          {operand, spreadOf(along, tile.rank), product && operand->get() == product, {}});
    }
    for (Type type : tile.generic.getResultTypes())
      outputs.push_back(cast<RankedTensorType>(type).getElementType());
  } else {
    buffers.inputs.push_back({nullptr, Spread::full, true, {}});
  }

  Type productElement =
      product ? cast<RankedTensorType>(product.getType()).getElementType() : Type();
  auto elementOf = [&](const VectorBuffers::Input &input) {
    return input.isProduct
               ? productElement
               : cast<RankedTensorType>(input.operand->get().getType()).getElementType();
  };
  auto inputName = [&](const VectorBuffers::Input &input) {
    return input.isProduct ? StringRef("acc") : nameOf(input.operand->get());
  };
  // A sum of parts is made where it is used; where that is a store, it is an output.
  auto groupOf = [&](const VectorBuffers::Input &input) {
    return !input.isProduct || !tile.sum ? "ub" : tile.generic ? "scratch" : "out";
  };
  // With one dimension there are no rows to deal: the vector cores halve the columns.
  const int64_t width = tile.rank == 1   ? llvm::divideCeil(tile.tileN, cores)
                        : tile.parts > 1 ? tile.acc.getPartWidth()
                                         : tile.tileN;
  const int64_t rows = tile.rank == 1 ? 1 : llvm::divideCeil(tile.tileM, cores);
  const int64_t scratch = tile.generic ? scratchBuffers(tile.generic) : 0;

  int64_t fixed = 0, perRow = scratch * paddedColumns(width, b.getF32Type()) * 4;
  for (const auto &input : buffers.inputs) {
    Type element = elementOf(input);
    int64_t count = copies(groupOf(input), inputName(input)), bytes = bytesOf(element);
    if (input.spread == Spread::full)
      perRow += count * paddedColumns(width, element) * bytes;
    else if (input.spread == Spread::column)
      perRow += count * bytes;
    else
      fixed += count * paddedColumns(width, element) * bytes;
  }
  if (tile.sum)
    perRow += copies("ub", "part") * paddedColumns(width, productElement) * bytesOf(productElement);
  for (Type element : outputs)
    perRow += copies("out", "") * paddedColumns(width, element) * bytesOf(element);

  // An elementwise kernel says by its tile how much one vector step takes. Behind a product the
  // tile is the cube's; the vector cores take it in as few steps as fit, and as give each
  // transfer its full rate.
  SmallVector<StringRef> dims = dimNames(tile.last());
  StringRef rowDim = tile.rank > 1 && dims.size() >= tile.rank ? dims[tile.rank - 2] : "";
  bool asked = tile.rank > 1 && !hasProduct(kernel) && kernel.choice(("tile." + rowDim).str());
  int64_t room = machine.capacity(Space::ub) - fixed - 1024;
  int64_t fits = std::max<int64_t>(1, room / std::max<int64_t>(1, perRow));
  // A part comes in steps of half the size, so that its vector work is not longer than its drain;
  // but where one scalar unit issues everything, more steps would hold up the next tile's
  // transfers.
  const int64_t bytesAStep = split ? stepBytes / tile.parts : stepBytes;
  int64_t wanted = std::max<int64_t>(1, bytesAStep / (paddedColumns(width, b.getF32Type()) * 4));
  buffers.rowsAStep = asked ? rows : std::min({rows, fits, wanted});
  buffers.steps = llvm::divideCeil(rows, buffers.rowsAStep);
  buffers.rowsAStep = llvm::divideCeil(rows, buffers.steps); // steps of even length

  Location where = tile.last()->getLoc();
  if (!rowDim.empty())
    where = placeOf(("tile." + rowDim).str(), where);
  for (auto &input : buffers.inputs) {
    Type element = elementOf(input);
    bool rowsOfTile = input.spread == Spread::full;
    int64_t columns = input.spread == Spread::column ? buffers.rowsAStep : width;
    if (input.spread == Spread::single)
      columns = 1;
    input.buffer =
        alloc(inputName(input), groupOf(input), Space::ub, rowsOfTile ? buffers.rowsAStep : 1,
              paddedColumns(columns, element), element, where);
  }
  if (tile.generic) {
    for (auto [i, element] : llvm::enumerate(outputs))
      buffers.outputs.push_back(alloc(("out" + (i ? Twine(i) : Twine())).str(), "out", Space::ub,
                                      buffers.rowsAStep, paddedColumns(width, element), element,
                                      where));
    if (scratch > 0)
      buffers.scratch = alloc("scratch", "scratch", Space::ub, buffers.rowsAStep * scratch,
                              paddedColumns(width, b.getF32Type()), b.getF32Type(), where);
  }
  if (tile.sum)
    buffers.part = alloc("part", "ub", Space::ub, buffers.rowsAStep,
                         paddedColumns(width, productElement), productElement, where);
  if (byFixpipe)
    buffers.spilled = alloc("acc", "out", Space::gm, tile.tileM, width, productElement, where);
}

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
  const bool byFixpipe = split && tile.stageLoop;
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

void Placer::emitVectorSection(Tile &tile, VectorBuffers &buffers,
                               ArrayRef<Destination> destinations, Value core, int64_t cores) {
  const unsigned rank = tile.rank;
  Value product = tile.product();
  Value zero = index(0);

  // This core's part of the tile: rows, or columns when there is only one row.
  Value firstRow = zero, rows = tile.rows, columns = tile.columns;
  Value firstColumn = tile.firstColumn ? tile.firstColumn : zero;
  if (core && cores > 1) {
    Value &first = rank > 1 ? firstRow : firstColumn;
    Value &extent = rank > 1 ? rows : columns;
    Value part = arith::CeilDivSIOp::create(b, loc, extent, index(cores));
    first = arith::MulIOp::create(b, loc, core, part);
    Value rest = arith::SubIOp::create(b, loc, extent, first);
    extent = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, part, rest), zero);
  }

  auto transfer = [&](const VectorBuffers::Input &input, Value row, Value count, Value inSlot) {
    GlobalView view = viewOf(input.operand->get());
    AffineMap map = tile.generic.getMatchingIndexingMap(input.operand);
    int64_t rowDim = -1, columnDim = -1;
    for (auto [i, expression] : llvm::enumerate(map.getResults())) {
      unsigned position = cast<AffineDimExpr>(expression).getPosition();
      if (position == rank - 1)
        columnDim = view.dims[i];
      else if (rank > 1 && position == rank - 2)
        rowDim = view.dims[i];
    }
    if (rowDim >= 0)
      view.offsets[rowDim] = add(view.offsets[rowDim], row);
    if (columnDim >= 0)
      view.offsets[columnDim] = add(view.offsets[columnDim], firstColumn);
    for (Value &offset : view.offsets)
      if (!offset)
        offset = zero;
    // A column is held as a row: the buffer's columns run along the tensor's rows.
    Value one = index(1);
    SmallVector<int64_t> along = {rowDim, columnDim};
    Value extents[2] = {count, columns};
    if (input.spread == Spread::column) {
      along = {-1, rowDim};
      extents[0] = one;
      extents[1] = count;
    } else if (input.spread == Spread::row) {
      extents[0] = one;
    } else if (input.spread == Spread::single) {
      extents[0] = extents[1] = one;
    }
    aicore::LoadOp::create(b, loc, view.memref, view.offsets, along, extents[0], extents[1],
                           input.buffer, inSlot, 1);
  };

  // What all rows share comes in once a tile.
  SmallVector<Value> inputSlots(buffers.inputs.size());
  for (auto [i, input] : llvm::enumerate(buffers.inputs))
    if (input.spread == Spread::row || input.spread == Spread::single) {
      inputSlots[i] = slot(tile.number, input.buffer);
      transfer(input, firstRow, Value(), inputSlots[i]);
    }
  Value spillSlot = buffers.spilled ? slot(tile.number, buffers.spilled) : Value();

  Value step = index(buffers.rowsAStep);
  Value first = arith::MulIOp::create(b, loc, tile.number, index(buffers.steps));
  auto loop = scf::ForOp::create(b, loc, zero, rows, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value done = loop.getInductionVar();
  Value row = add(firstRow, done);
  Value count = arith::MinSIOp::create(b, loc, step, arith::SubIOp::create(b, loc, rows, done));
  Value number = add(first, arith::DivSIOp::create(b, loc, done, step));
  for (auto [i, input] : llvm::enumerate(buffers.inputs)) {
    if (inputSlots[i])
      continue;
    inputSlots[i] = slot(number, input.buffer);
    if (!input.isProduct)
      transfer(input, row, count, inputSlots[i]);
    else if (tile.sum)
      emitSum(tile, buffers, input.buffer, inputSlots[i], number, row, firstColumn, count, columns);
    else if (buffers.spilled)
      aicore::FetchOp::create(b, loc, buffers.spilled, spillSlot, row, count, columns, input.buffer,
                              inputSlots[i]);
    else
      aicore::DrainOp::create(b, loc, tile.acc, tile.accSlot, row, count, columns, input.buffer,
                              inputSlots[i],
                              tile.part ? b.getI64IntegerAttr(*tile.part) : IntegerAttr());
  }

  SmallVector<Value> outputSlots;
  if (tile.generic) {
    SmallVector<Value> inputs;
    SmallVector<Attribute> spreads;
    for (const auto &input : buffers.inputs) {
      inputs.push_back(input.buffer);
      spreads.push_back(aicore::SpreadAttr::get(b.getContext(), input.spread));
    }
    for (Value output : buffers.outputs)
      outputSlots.push_back(slot(number, output));
    auto vector =
        aicore::VectorOp::create(b, loc, inputs, inputSlots, b.getArrayAttr(spreads),
                                 buffers.outputs, outputSlots, buffers.scratch, count, columns);
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

  for (const Destination &destination : destinations) {
    Value buffer, fromSlot;
    for (unsigned i = 0; i < buffers.outputs.size(); ++i)
      if (tile.generic.getResult(i) == destination.value) {
        buffer = buffers.outputs[i];
        fromSlot = outputSlots[i];
      }
    if (!buffer && destination.value == product && !buffers.spilled)
      for (auto [input, inSlot] : llvm::zip(buffers.inputs, inputSlots))
        if (input.isProduct) {
          buffer = input.buffer;
          fromSlot = inSlot;
        }
    if (!buffer)
      continue; // the fixpipe has written it
    GlobalView view = destination.view;
    int64_t rowDim = rank > 1 ? int64_t(view.dims[rank - 2]) : -1, columnDim = view.dims[rank - 1];
    if (rowDim >= 0)
      view.offsets[rowDim] = add(view.offsets[rowDim], row);
    view.offsets[columnDim] = add(view.offsets[columnDim], firstColumn);
    aicore::StoreOp::create(b, loc, buffer, fromSlot, view.memref, view.offsets,
                            ArrayRef<int64_t>{rowDim, columnDim}, count, columns);
  }
}

} // namespace mmk
