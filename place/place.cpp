#include "passes/walk.h"
#include "place/passes.h"
#include "place/placer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_PLACE
#include "place/Passes.h.inc"

//===--- small things
//---------------------------------------------------------------------------===//

Value Placer::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value Placer::add(Value x, Value y) {
  if (!x || matchPattern(x, m_Zero()))
    return y;
  if (!y || matchPattern(y, m_Zero()))
    return x;
  return arith::AddIOp::create(b, loc, x, y);
}

Value Placer::mapped(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return index(cast<IntegerAttr>(attribute).getInt());
  Value scalar = cast<Value>(value);
  // What a panel needs may stand in the loop over its tiles.
  if (Operation *op = scalar.getDefiningOp(); op && !map.contains(scalar)) {
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex())
        mapped(operand);
    clonePure(*op);
  }
  return map.lookup(scalar);
}

/// An empty loop like the one in mmk IR, and in it from here on.
scf::ForOp Placer::emitLoop(scf::ForOp loop) {
  loc = loop.getLoc();
  auto emitted = scf::ForOp::create(b, loc, map.lookup(loop.getLowerBound()),
                                    map.lookup(loop.getUpperBound()), map.lookup(loop.getStep()));
  map.map(loop.getInductionVar(), emitted.getInductionVar());
  b.setInsertionPoint(emitted.getBody()->getTerminator());
  for (Operation &op : *loop.getBody())
    clonePure(op);
  return emitted;
}

Location Placer::placeOf(StringRef directive, Location otherwise) {
  ir::ChoiceOp choice = kernel.choice(directive);
  return choice ? choice.getLoc() : otherwise;
}

int64_t Placer::copies(StringRef group, StringRef name) {
  int64_t ofGroup = kernel.chosenNumber(("buffers." + group).str(), 1);
  return kernel.chosenNumber(("buffers." + group + "." + name).str(), ofGroup);
}

// "l1" -> 2 and "l1.a" -> 3, as the schedule says; aicore-double-buffer reads them.
DictionaryAttr Placer::bufferWishes() {
  SmallVector<NamedAttribute> wishes;
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    if (key.consume_front("buffers."))
      wishes.push_back(b.getNamedAttr(key, choice.getAlternatives()[0]));
  }
  return b.getDictionaryAttr(wishes);
}

aicore::AllocOp Placer::alloc(StringRef name, StringRef group, aicore::Space space, int64_t rows,
                              int64_t columns, Type element, Location where) {
  auto type = MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                              aicore::SpaceAttr::get(b.getContext(), space));
  return aicore::AllocOp::create(b, where, type, name, group, 1, /*parts=*/1, IntegerAttr());
}

Value Placer::slot(Value number, Value buffer) {
  return aicore::SlotOp::create(b, loc, b.getIndexType(), number, buffer);
}

StringRef Placer::nameOf(Value tensor) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    tensor = slice.getSource();
  StringRef name = names.lookup(tensor);
  return name.empty() ? "value" : name;
}

Value Placer::dimension(StringRef name) {
  int64_t literal;
  if (!name.getAsInteger(10, literal))
    return index(literal);
  for (auto [i, known] : llvm::enumerate(kernel.getDims().getAsValueRange<StringAttr>()))
    if (known == name)
      return target.getBody().getArgument(i);
  llvm_unreachable("a dimension of the kernel");
}

Value Placer::extentOf(Value tensor, unsigned dim) {
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

GlobalView Placer::viewOf(Value tensor) {
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
void Placer::clonePure(Operation &op) {
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
//---------------------------------------------------------------------------------===//

void Placer::createKernel() {
  b.setInsertionPoint(kernel);
  target = aicore::KernelOp::create(b, kernel.getLoc(), kernel.getSymName(), kernel.getDims(),
                                    kernel.getArgs(), kernel.getResults(),
                                    kernel.chosenNumber("cores", 1), bufferWishes(), limits());
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
  for (auto [argument, named] :
       llvm::zip(kernel.getBody().getArguments(), kernel.getArgs().getAsRange<ir::NamedAttr>())) {
    Value placed = block->addArgument(global(argument.getType()), argument.getLoc());
    if (isa<MemRefType>(placed.getType())) {
      tensors[argument] = placed;
      names[argument] = named.getName().getValue();
    } else {
      map.map(argument, placed);
    }
  }
  auto ret = cast<ir::ReturnOp>(kernel.getBody().front().getTerminator());
  for (auto [value, named] :
       llvm::zip(ret.getValues(), kernel.getResults().getAsRange<ir::NamedAttr>())) {
    tensors[value] = block->addArgument(global(value.getType()), kernel.getLoc());
    names[value] = named.getName().getValue();
  }
  b.setInsertionPointToEnd(block);
}

//===--- nests
//----------------------------------------------------------------------------------===//

// What the passes before leave in a nest; anything else would be dropped in silence.
static LogicalResult checkOps(ir::NestOp nest) {
  WalkResult result = nest.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getParentOfType<linalg::LinalgOp>() ||
        isa<ir::NestOp, ir::DimOp, ir::ShareOp, ir::WalkOp, ir::YieldOp, tensor::DimOp,
            tensor::EmptyOp, tensor::ExtractSliceOp, tensor::InsertSliceOp, affine::AffineApplyOp,
            affine::AffineMinOp, linalg::FillOp, linalg::BroadcastOp, linalg::GenericOp,
            linalg::ContractOp, linalg::ReduceOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op))
      return WalkResult::advance();
    bool scalar =
        op->getNumRegions() == 0 && op->getNumResults() > 0 &&
        llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
    if (scalar)
      return WalkResult::advance();
    op->emitOpError("has no place on the machine: not scalar, and no part of a tiled nest");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// What a nest has become: its loops, and the operations in them.
LogicalResult Placer::findTile(ir::NestOp nest, Tile &tile) {
  for (auto loop : nest.getBody().front().getOps<scf::ForOp>())
    tile.loop = loop;
  if (tile.loop && !tile.loop->hasAttr("mmk.tile"))
    for (auto loop : tile.loop.getOps<scf::ForOp>())
      tile.panelLoop = std::exchange(tile.loop, loop);
  if (!tile.loop || !tile.loop->hasAttr("mmk.tile"))
    return nest.emitOpError("is not tiled; run mmk-tile-cores first");
  tile.loop.walk([&](linalg::ContractOp contract) { tile.contract = contract; });
  for (auto generic : tile.loop.getOps<linalg::GenericOp>())
    tile.generic = generic;
  for (auto sum : tile.loop.getOps<linalg::ReduceOp>())
    tile.sum = sum;
  if (!tile.contract && !tile.generic && !tile.sum)
    return nest.emitOpError("has neither a product nor an elementwise operation in its tile loop");
  if (tile.contract && failed(findStages(tile)))
    return failure();
  auto extents = tile.loop->getAttrOfType<DenseI64ArrayAttr>("mmk.tile");
  tile.tileM = extents[0];
  tile.tileN = extents[1];
  tile.rank = cast<RankedTensorType>(nest.getResultTypes()[0]).getRank();
  return expectKnownTensors(tile);
}

// Of its product: the loop over stages, and what it starts from.
LogicalResult Placer::findStages(Tile &tile) {
  auto base = tile.contract->getParentOfType<scf::ForOp>();
  tile.stageLoop = base ? base->getParentOfType<scf::ForOp>() : scf::ForOp();
  if (!tile.stageLoop || !tile.stageLoop->hasAttr("mmk.step"))
    return tile.contract.emitOpError("is not tiled; run mmk-tile-base first");
  Value start = tile.stageLoop.getInitArgs()[0];
  // Of a product in parts, the first alone starts from a row.
  if (auto branch = start.getDefiningOp<scf::IfOp>()) {
    tile.hasBias = branch.getCondition();
    start =
        branch.thenBlock()->getTerminator()->getOperand(cast<OpResult>(start).getResultNumber());
  }
  tile.bias = start.getDefiningOp<linalg::BroadcastOp>();
  if (tile.panelLoop)
    if (std::optional<KeptPanel> panel = keptPanel(kernel))
      tile.kept = panel->operand;
  return success();
}

LogicalResult Placer::expectKnownTensors(Tile &tile) {
  for (Operation *op : {tile.contract.getOperation(), tile.generic.getOperation(),
                        tile.sum.getOperation(), tile.bias.getOperation()})
    for (OpOperand *input :
         op ? cast<linalg::LinalgOp>(op).getDpsInputOperands() : SmallVector<OpOperand *>()) {
      Value tensor = input->get();
      while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
        tensor = slice.getSource();
      if (!tensors.count(tensor) && (!tile.product() || tensor != tile.product()))
        return op->emitOpError(
            "reads a tensor that is neither a parameter, nor of an earlier nest, "
            "nor the product of its own");
    }
  return success();
}

// What is computed once a kernel: extents, and intermediate tensors between nests.
void Placer::emitShared(ir::NestOp nest, Tile &tile) {
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
      StringRef name = "acc";
      for (Operation *op : {tile.contract.getOperation(), tile.sum.getOperation()})
        if (op && op->hasAttr("mmk.name"))
          name = op->getAttrOfType<StringAttr>("mmk.name").getValue();
      auto memref =
          MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
                          aicore::SpaceAttr::get(b.getContext(), aicore::Space::gm));
      tensors[result] = aicore::WorkspaceOp::create(b, loc, memref, name, sizes);
      names[result] = name;
    }
}

// Where the tile at hand goes, and by that how large it is.
LogicalResult Placer::findDestinations(ir::NestOp nest, Tile &tile,
                                       SmallVector<Destination> &destinations) {
  auto yield = cast<ir::YieldOp>(nest.getBody().front().getTerminator());
  for (auto [result, filled] : llvm::zip(nest.getResults(), yield.getValues())) {
    Value yielded =
        tile.loop.getBody()->getTerminator()->getOperand(cast<OpResult>(filled).getResultNumber());
    auto insert = yielded.getDefiningOp<tensor::InsertSliceOp>();
    if (!insert)
      return nest.emitOpError("expected its tile loop to insert one tile of each result");
    GlobalView view{tensors.lookup(result), {}, {}};
    SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
    for (auto [i, offset] : llvm::enumerate(insert.getMixedOffsets())) {
      view.offsets.push_back(mapped(offset));
      view.dims.push_back(i);
    }
    tile.rows = tile.rank > 1 ? mapped(sizes[tile.rank - 2]) : index(1);
    tile.columns = mapped(sizes[tile.rank - 1]);
    destinations.push_back({insert.getSource(), view, names.lookup(result)});
  }
  return success();
}

LogicalResult Placer::emitNest(ir::NestOp nest) {
  Tile tile;
  if (failed(checkOps(nest)) || failed(findTile(nest, tile)))
    return failure();
  emitShared(nest, tile);

  loc = nest.getLoc();
  auto phase = aicore::PhaseOp::create(b, loc);
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&phase.getBody(), {}, b.getIndexType(), loc);
  Block &body = nest.getBody().front();
  block = inside->getArgument(0);
  map.map(body.getArgument(0), block);
  b.setInsertionPointToEnd(inside);

  VectorBuffers buffers;
  const bool onHost = isForHost(tile);
  if (onHost) {
    if (tile.contract)
      allocateHostProduct(tile);
  } else {
    if (tile.contract)
      allocateProduct(tile);
    allocateVectorSection(tile, buffers);
  }
  for (Operation &op : body.without_terminator())
    if (!map.contains(op.getNumResults() ? op.getResult(0) : Value()))
      clonePure(op);

  if (tile.panelLoop) {
    emitLoop(tile.panelLoop);
    emitPanel(tile);
  }
  // Copies go round anew in each line: the last tile of one and the first of the next may take the
  // same, and the second then waits.
  tile.number = emitLoop(tile.loop).getInductionVar();
  SmallVector<Destination> destinations;
  if (failed(findDestinations(nest, tile, destinations)))
    return failure();
  if (onHost) {
    emitHostTile(tile, destinations);
    return success();
  }
  if (tile.contract)
    emitProduct(tile);
  emitEpilogue(tile, buffers, destinations);
  return success();
}

//===--- the kernel's nests, one after the other
//-----------------------------------------------===//

LogicalResult Placer::run() {
  if (failed(checkDims(kernel)) || failed(checkNests(kernel)))
    return failure();
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    if (!value.getDefiningOp<ir::NestOp>())
      return kernel.getBody().front().getTerminator()->emitOpError(
          "expected each result to come from a mmk.nest");
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

struct PlacePass : impl::PlaceBase<PlacePass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<ir::KernelOp>()))
      if (failed(Placer(kernel, machine).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace mmk
