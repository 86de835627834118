#include "place/insert_transfers.h"
#include "passes/variant.h"
#include "passes/walk.h"
#include "place/passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_INSERTTRANSFERS
#include "place/Passes.h.inc"

//===--- small things
//----------------------------------------------------------------------------===//

Value TransferInserter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TransferInserter::add(Value x, Value y) {
  if (!x || matchPattern(x, m_Zero()))
    return y;
  if (!y || matchPattern(y, m_Zero()))
    return x;
  return arith::AddIOp::create(b, loc, x, y);
}

Value TransferInserter::mapped(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return index(cast<IntegerAttr>(attribute).getInt());
  return map.lookup(cast<Value>(value));
}

/// An empty loop like the one in mmk IR, and in it from here on.
scf::ForOp TransferInserter::emitLoop(scf::ForOp loop) {
  loc = loop.getLoc();
  auto emitted = scf::ForOp::create(b, loc, map.lookup(loop.getLowerBound()),
                                    map.lookup(loop.getUpperBound()), map.lookup(loop.getStep()));
  map.map(loop.getInductionVar(), emitted.getInductionVar());
  b.setInsertionPoint(emitted.getBody()->getTerminator());
  for (Operation &op : *loop.getBody())
    clonePure(op);
  return emitted;
}

// "l1" -> 2 and "l1.a" -> 3, as the schedule says; aicore-double-buffer reads them.
DictionaryAttr TransferInserter::requestedBuffers() {
  SmallVector<NamedAttribute> requests;
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    if (key.consume_front("buffers."))
      requests.push_back(b.getNamedAttr(key, choice.getAlternatives()[0]));
  }
  return b.getDictionaryAttr(requests);
}

Value TransferInserter::slot(Value number, Value buffer) {
  return aicore::SlotOp::create(b, loc, b.getIndexType(), number, buffer);
}

Value TransferInserter::dimension(StringRef name) {
  int64_t literal;
  if (!name.getAsInteger(10, literal))
    return index(literal);
  for (auto [i, known] : llvm::enumerate(kernel.getDims().getAsValueRange<StringAttr>()))
    if (known == name)
      return target.getBody().getArgument(i);
  llvm_unreachable("a dimension of the kernel");
}

Value TransferInserter::extentOf(Value tensor, unsigned dim) {
  tensor = behindPlaces(tensor);
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (unsigned i = 0, kept = 0; i < dropped.size(); ++i)
      if (!dropped.test(i) && kept++ == dim)
        return mapped(slice.getMixedSizes()[i]);
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto named = cast<ir::NamedAttr>(kernel.getArgs()[argument.getArgNumber()]);
    return dimension(named.getDims()[dim].getValue());
  }
  if (auto nest = tensor.getDefiningOp<ir::NestOp>()) {
    auto yield = cast<ir::YieldOp>(nest.getBody().front().getTerminator());
    Value filled = yield.getValues()[cast<OpResult>(tensor).getResultNumber()];
    auto loop = filled.getDefiningOp<scf::ForOp>();
    Value init = loop.getInitArgs()[cast<OpResult>(filled).getResultNumber()];
    return mapped(init.getDefiningOp<tensor::EmptyOp>().getMixedSizes()[dim]);
  }
  llvm_unreachable("a tensor of a tiled kernel is a parameter, a nest's result or a slice of one");
}

GlobalView TransferInserter::viewOf(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice) {
    GlobalView view{tensors.lookup(tensor), {}, {}};
    unsigned rank = cast<MemRefType>(view.memref.getType()).getRank();
    view.offsets.assign(rank, Value());
    for (unsigned i = 0; i < rank; ++i)
      view.dims.push_back(i);
    return view;
  }
  GlobalView base = viewOf(slice.getSource());
  GlobalView view{base.memref, base.offsets, {}};
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [i, offset] : llvm::enumerate(slice.getMixedOffsets())) {
    Value &sum = view.offsets[base.dims[i]];
    sum = add(sum, mapped(offset));
    if (!dropped.test(i))
      view.dims.push_back(base.dims[i]);
  }
  return view;
}

// Scalar code is carried over; tensors are not, they become transfers where they are used.
void TransferInserter::clonePure(Operation &op) {
  loc = op.getLoc();
  if (auto dim = dyn_cast<ir::DimOp>(op)) {
    map.map(dim.getResult(), dimension(dim.getName()));
  } else if (auto share = dyn_cast<ir::ShareOp>(op)) {
    auto clone = cast<ir::ShareOp>(b.clone(op, map));
    map.map(share.getResult(), expandShare(b, clone));
    clone.erase();
  } else if (auto walk = dyn_cast<ir::WalkOp>(op)) {
    auto clone = cast<ir::WalkOp>(b.clone(op, map));
    for (auto [result, value] : llvm::zip(walk.getResults(), expandWalk(b, clone)))
      map.map(result, value);
    clone.erase();
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    map.map(dim.getResult(), extentOf(dim.getSource(), *dim.getConstantIndex()));
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Value> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(map.lookup(operand));
    map.map(apply.getResult(),
            (*affine::expandAffineMap(b, loc, apply.getAffineMap(), operands))[0]);
  } else if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    SmallVector<Value> operands;
    for (Value operand : min.getMapOperands())
      operands.push_back(map.lookup(operand));
    auto values = *affine::expandAffineMap(b, loc, min.getAffineMap(), operands);
    Value least = values[0];
    for (Value value : llvm::drop_begin(values))
      least = arith::MinSIOp::create(b, loc, least, value);
    map.map(min.getResult(), least);
  } else if (llvm::all_of(op.getResultTypes(),
                          [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
             op.getNumResults() > 0 && op.getNumRegions() == 0) {
    b.clone(op, map);
  }
}

//===--- kernel
//----------------------------------------------------------------------------------===//

void TransferInserter::createKernel() {
  b.setInsertionPoint(kernel);
  target = aicore::KernelOp::create(b, kernel.getLoc(), kernel.getSymName(), kernel.getDims(),
                                    kernel.getArgs(), kernel.getResults(),
                                    kernel.chosenNumber("cores", 1), requestedBuffers(), limits());
  target->setAttr("variant", kernel->getAttr("variant"));
  Block *block = b.createBlock(&target.getBody());
  auto global = [&](Type tensor) -> Type {
    auto ranked = dyn_cast<RankedTensorType>(tensor);
    if (!ranked)
      return tensor;
    return MemRefType::get(ranked.getShape(), ranked.getElementType(), MemRefLayoutAttrInterface(),
                           aicore::SpaceAttr::get(b.getContext(), aicore::Space::gm));
  };
  for (size_t i = 0; i < kernel.getDims().size(); ++i)
    block->addArgument(b.getIndexType(), kernel.getLoc());
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Value placed = block->addArgument(global(argument.getType()), argument.getLoc());
    if (isa<MemRefType>(placed.getType()))
      tensors[argument] = placed;
    else
      map.map(argument, placed);
  }
  auto ret = cast<ir::ReturnOp>(kernel.getBody().front().getTerminator());
  for (Value value : ret.getValues())
    tensors[value] = block->addArgument(global(value.getType()), kernel.getLoc());
  b.setInsertionPointToEnd(block);
}

// A kernel that keeps panels runs with no deeper ones; one that splits its reduction has them for
// each part.
DictionaryAttr TransferInserter::limits() {
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  if (!panel)
    return {};
  NamedAttrList limits;
  kernel.walk([&](linalg::ContractOp contract) {
    StringRef k = dimNames(contract).back();
    int64_t literal;
    if (!k.getAsInteger(10, literal))
      return;
    const int64_t parts = kernel.chosenNumber(("grid." + k).str(), 1);
    const int64_t tile = kernel.chosenNumber(("tile." + k).str(), 1),
                  stage = kernel.chosenNumber(("stage." + k).str(), tile);
    // Parts are whole stages, or when they are shorter than one, whole tiles.
    const int64_t unit = parts == 1 ? 1 : panel->depth < stage ? tile : stage;
    // What fits a single panel fits in parts, too.
    const int64_t deepest = std::max(panel->depth, parts * (panel->depth / unit * unit));
    limits.set(k, b.getI64IntegerAttr(deepest));
  });
  return limits.empty() ? DictionaryAttr() : limits.getDictionary(b.getContext());
}

//===--- nests
//-----------------------------------------------------------------------------------===//

// The buffers that hold its values.
LogicalResult TransferInserter::findBuffers(ir::NestOp nest, Tile &tile) {
  auto placed = [](Value value) { return value.getDefiningOp<aicore::PlaceOp>(); };
  if (!tile.contract) {
    if (nest.getBody().front().getOps<aicore::AllocOp>().empty())
      return nest.emitOpError("has no buffers; run aicore-assign-memories first");
    return success();
  }
  const Product product(tile);
  aicore::PlaceOp acc = placed(tile.stageLoop.getInitArgs()[0]);
  for (unsigned which = 0; which < 2; ++which) {
    aicore::PlaceOp inL1 = placed(product.operands[which].inL1),
                    inL0 = placed(tile.contract.getInputs()[which]);
    if (!acc || !inL1 || !inL0)
      return tile.contract.emitOpError(
          "has operands without buffers; run aicore-assign-memories first");
    tile.l1[which] = bufferOf(inL1);
    tile.l0[which] = bufferOf(inL0);
  }
  tile.acc = bufferOf(acc).getDefiningOp<aicore::AllocOp>();
  tile.parts = tile.acc.getParts();
  if (tile.bias)
    tile.biasTable = bufferOf(placed(tile.bias.getInput()));
  return success();
}

// What is computed once a kernel: extents, and intermediate tensors between nests.
void TransferInserter::emitShared(ir::NestOp nest) {
  for (Operation &op : nest.getBody().front())
    if (isa<ir::DimOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      clonePure(op);
  for (Value result : nest.getResults())
    if (!tensors.count(result)) {
      loc = nest.getLoc();
      SmallVector<Value> sizes;
      auto type = cast<RankedTensorType>(result.getType());
      for (unsigned i = 0; i < type.getRank(); ++i)
        sizes.push_back(extentOf(result, i));
      auto memref =
          MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
                          aicore::SpaceAttr::get(b.getContext(), aicore::Space::gm));
      tensors[result] = aicore::WorkspaceOp::create(b, loc, memref, names.lookup(result), sizes);
    }
}

// Where the tile at hand goes, and by that how large it is.
SmallVector<TransferInserter::Destination> TransferInserter::findDestinations(ir::NestOp nest,
                                                                              Tile &tile) {
  SmallVector<Destination> destinations;
  auto yield = cast<ir::YieldOp>(nest.getBody().front().getTerminator());
  for (auto [result, filled] : llvm::zip(nest.getResults(), yield.getValues())) {
    const unsigned number = cast<OpResult>(filled).getResultNumber();
    auto insert = tile.tileLoop.getBody()
                      ->getTerminator()
                      ->getOperand(number)
                      .getDefiningOp<tensor::InsertSliceOp>();
    GlobalView view{tensors.lookup(result), {}, {}};
    SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
    for (auto [i, offset] : llvm::enumerate(insert.getMixedOffsets())) {
      view.offsets.push_back(mapped(offset));
      view.dims.push_back(i);
    }
    tile.rows = tile.rank > 1 ? mapped(sizes[tile.rank - 2]) : index(1);
    tile.columns = mapped(sizes[tile.rank - 1]);
    destinations.push_back({insert.getSource(), view});
  }
  return destinations;
}

LogicalResult TransferInserter::emitNest(ir::NestOp nest) {
  FailureOr<TiledNest> found = findTiledNest(kernel, nest);
  if (failed(found))
    return failure();
  Tile tile;
  static_cast<TiledNest &>(tile) = *found;
  emitShared(nest);

  loc = nest.getLoc();
  auto phase = aicore::PhaseOp::create(b, loc);
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&phase.getBody(), {}, b.getIndexType(), loc);
  Block &body = nest.getBody().front();
  block = inside->getArgument(0);
  map.map(body.getArgument(0), block);
  b.setInsertionPointToEnd(inside);

  const bool onHost = isOneInstruction(tile, machine);
  for (auto buffer : body.getOps<aicore::AllocOp>())
    b.clone(*buffer, map);
  if (!onHost && failed(findBuffers(nest, tile)))
    return failure();
  if (onHost && tile.contract)
    allocateHostProduct(tile);
  for (Operation &op : body.without_terminator())
    if (!map.contains(op.getNumResults() ? op.getResult(0) : Value()))
      clonePure(op);

  if (tile.panelLoop) {
    emitLoop(tile.panelLoop);
    emitPanel(tile);
  }
  // Copies go round anew in each line: the last tile of one and the first of the next may take the
  // same, and the second then waits.
  tile.number = emitLoop(tile.tileLoop).getInductionVar();
  const SmallVector<Destination> destinations = findDestinations(nest, tile);
  if (onHost) {
    emitHostTile(tile, destinations);
    return success();
  }
  if (tile.contract)
    emitProduct(tile);
  emitEpilogue(tile, destinations);
  return success();
}

//===--- the kernel's nests, one after the other ------------------------------------------===//

LogicalResult TransferInserter::run() {
  if (failed(checkDims(kernel)) || failed(checkNests(kernel)))
    return failure();
  createKernel();
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front().without_terminator())) {
    if (auto nest = dyn_cast<ir::NestOp>(op)) {
      if (failed(emitNest(nest)))
        return failure();
    } else {
      clonePure(op);
    }
  }
  kernel.erase();
  return success();
}

namespace {

struct InsertTransfersPass : impl::InsertTransfersBase<InsertTransfersPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<ir::KernelOp>()))
      if (failed(TransferInserter(kernel, machine).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace mmk
