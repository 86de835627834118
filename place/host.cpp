// The part of aicore-insert-transfers that is about the host: a tile, with all that happens to it
// between the tensors that it reads and those that it writes, is one operation there.
#include "passes/variant.h"
#include "place/insert_transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Space;

namespace {

/// Rows of A that are packed at a time, at most, and the elements after each of the sums: rows on
/// lines that share no set of a cache. Rows of A, which have four bytes an element here, may be
/// twice as many with two; then there are twice as many lines after them.
constexpr int64_t packedRows = 16, padding = 16;

} // namespace

/// Offsets in all dimensions of some tensors, one after the other, and what a tile runs along.
struct TransferInserter::HostTensors {
  SmallVector<Value> tensors, offsets;
  SmallVector<int64_t> along;
  SmallVector<Type> elements;

  void add(const GlobalView &view, int64_t rowDim, int64_t columnDim, Value zero) {
    tensors.push_back(view.memref);
    elements.push_back(cast<MemRefType>(view.memref.getType()).getElementType());
    for (Value offset : view.offsets)
      offsets.push_back(offset ? offset : zero);
    along.append({rowDim, columnDim});
  }
};

StringRef TransferInserter::nameOf(Value tensor) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    tensor = slice.getSource();
  StringRef name = names.lookup(tensor);
  return name.empty() ? "value" : name;
}

Location TransferInserter::placeOf(StringRef directive, Location otherwise) {
  ir::ChoiceOp choice = kernel.choice(directive);
  return choice ? choice.getLoc() : otherwise;
}

aicore::AllocOp TransferInserter::alloc(StringRef name, StringRef group, aicore::Space space,
                                        int64_t rows, int64_t columns, Type element,
                                        Location where) {
  auto type = MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                              aicore::SpaceAttr::get(b.getContext(), space));
  return aicore::AllocOp::create(b, where, type, name, group, 1, /*parts=*/1, IntegerAttr());
}

TransferInserter::HostTensors TransferInserter::hostInputs(Tile &tile) {
  HostTensors inputs;
  Value product = tile.stageLoop ? Value(tile.stageLoop.getResult(0)) : Value(), zero = index(0);
  if (!tile.generic)
    return inputs;
  for (OpOperand *operand : tile.generic.getDpsInputOperands()) {
    if (product && operand->get() == product)
      continue;
    GlobalView view = viewOf(operand->get());
    AffineMap map = tile.generic.getMatchingIndexingMap(operand);
    int64_t rowDim = -1, columnDim = -1;
    for (auto [i, expression] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expression);
      if (dim && dim.getPosition() == tile.rank - 1)
        columnDim = view.dims[i];
      else if (dim && tile.rank > 1 && dim.getPosition() == tile.rank - 2)
        rowDim = view.dims[i];
    }
    inputs.add(view, rowDim, columnDim, zero);
  }
  return inputs;
}

TransferInserter::HostTensors TransferInserter::hostOutputs(Tile &tile,
                                                            ArrayRef<Destination> destinations) {
  HostTensors outputs;
  for (const Destination &destination : destinations)
    outputs.add(destination.view,
                tile.rank > 1 ? int64_t(destination.view.dims[tile.rank - 2]) : -1,
                destination.view.dims[tile.rank - 1], index(0));
  return outputs;
}

// The region of the elementwise part; its first argument is the product, where there is one.
void TransferInserter::emitHostRegion(Tile &tile, Region &region, const HostTensors &inputs,
                                      ArrayRef<Destination> destinations) {
  Value product = tile.stageLoop ? Value(tile.stageLoop.getResult(0)) : Value();
  SmallVector<Type> elements;
  if (product)
    elements.push_back(cast<RankedTensorType>(product.getType()).getElementType());
  elements.append(inputs.elements);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&region, {}, elements, SmallVector<Location>(elements.size(), loc));
  IRMapping scalars = map;
  if (tile.generic) {
    Block *from = tile.generic.getBody();
    unsigned next = product ? 1 : 0;
    for (OpOperand *operand : tile.generic.getDpsInputOperands())
      scalars.map(from->getArgument(operand->getOperandNumber()),
                  body->getArgument(product && operand->get() == product ? 0 : next++));
    for (Operation &inner : from->without_terminator())
      b.clone(inner, scalars);
  }
  SmallVector<Value> yielded;
  for (const Destination &destination : destinations) {
    if (product && destination.value == product) {
      yielded.push_back(body->getArgument(0));
      continue;
    }
    Value value = tile.generic.getBody()->getTerminator()->getOperand(
        cast<OpResult>(destination.value).getResultNumber());
    yielded.push_back(scalars.lookupOrDefault(value));
  }
  aicore::YieldOp::create(b, loc, yielded);
}

void TransferInserter::emitHostTile(Tile &tile, ArrayRef<Destination> destinations) {
  loc = tile.generic ? tile.generic.getLoc() : tile.contract.getLoc();
  if (tile.contract)
    return emitHostProduct(tile, destinations);
  HostTensors inputs = hostInputs(tile), outputs = hostOutputs(tile, destinations);
  auto op =
      aicore::ElementwiseOp::create(b, loc, tile.rows, tile.columns, inputs.tensors, inputs.offsets,
                                    inputs.along, outputs.tensors, outputs.offsets, outputs.along);
  emitHostRegion(tile, op.getBody(), inputs, destinations);
}

void TransferInserter::allocateHostProduct(Tile &tile) {
  const int64_t stage = tile.stage;
  Type element = operandType(tile.contract);
  Type accumulator = cast<RankedTensorType>(tile.contract.getResult(0).getType()).getElementType();
  SmallVector<StringRef> dims = dimNames(tile.contract);
  Location where = tile.contract.getLoc();
  Location ofM = placeOf(("tile." + dims[dims.size() - 3]).str(), where);
  Location ofN = placeOf(("tile." + dims[dims.size() - 2]).str(), where);
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  // A tile is whatever one thread does: it is cut into blocks that fit these, and the caches.
  auto atMost = [](int64_t wanted, int64_t most) {
    return std::max<int64_t>(16, std::min(wanted, most / 16 * 16));
  };
  const int64_t columns = atMost(tile.tileN, machine.capacity(Space::l0b) / bytes / stage);
  const int64_t sums = tile.tileN + padding;
  const int64_t rows = atMost(tile.tileM, machine.capacity(Space::l0c) / 4 / sums);
  // There is nothing to double: the CPU looks ahead by itself.
  auto scratch = [&](StringRef name, Space space, int64_t rows, int64_t columns, Type type,
                     Location place) {
    return alloc(name, "scratch", space, rows, columns, type, place);
  };
  tile.l0[0] = scratch(nameOf(tile.contract.getInputs()[0]), Space::l0a, packedRows,
                       stage + 2 * padding, element, ofM);
  tile.l0[1] =
      scratch(nameOf(tile.contract.getInputs()[1]), Space::l0b, stage, columns, element, ofN);
  tile.acc = scratch("acc", Space::l0c, rows, sums, accumulator, ofM);
}

void TransferInserter::emitHostProduct(Tile &tile, ArrayRef<Destination> destinations) {
  const int64_t stage = tile.stage;

  // The operands as they are for the whole depth: before the loops along k slice them.
  HostTensors operands[2];
  for (unsigned which = 0; which < 2; ++which) {
    Value tensor = tile.contract.getInputs()[which];
    while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
      if (!tile.stageLoop->isProperAncestor(slice))
        break;
      tensor = slice.getSource();
    }
    GlobalView view = viewOf(tensor);
    const size_t rank = view.dims.size();
    int64_t rows = view.dims[rank - 2], columns = view.dims[rank - 1];
    AffineMap map = tile.contract.getIndexingMapsArray()[which];
    const unsigned loops = tile.contract.getNumLoops();
    const unsigned last = map.getDimPosition(map.getNumResults() - 1);
    if (last != (which == 0 ? loops - 1 : loops - 2))
      std::swap(rows, columns);
    operands[which].add(view, rows, columns, index(0));
  }

  HostTensors inputs = hostInputs(tile), outputs = hostOutputs(tile, destinations);
  auto op = aicore::ProductOp::create(
      b, loc, operands[0].tensors[0], operands[0].offsets, operands[0].along,
      operands[1].tensors[0], operands[1].offsets, operands[1].along, tile.rows, tile.columns,
      map.lookup(tile.stageLoop.getUpperBound()), stage, inputs.tensors, inputs.offsets,
      inputs.along, outputs.tensors, outputs.offsets, outputs.along, tile.l0[0], tile.l0[1],
      tile.acc);
  emitHostRegion(tile, op.getBody(), inputs, destinations);
}

} // namespace mmk
